"""What happens to an uploaded file until its text can be read."""
