"""What runs on AWS only, or talks to a deployment from outside. Import the modules; this file stays empty of them, so
that each function loads only its own."""
