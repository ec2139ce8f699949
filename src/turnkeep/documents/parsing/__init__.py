"""Extracts text from PDF, DOCX, HTML, Markdown, CSV and text files. Parsers load in another process."""
