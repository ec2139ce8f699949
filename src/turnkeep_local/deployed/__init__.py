"""What the command does to a deployment, with the rights of whoever sits at the terminal."""
