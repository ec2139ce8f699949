"""Actions of the command on a deployment, with the rights of the person at the terminal."""
