"""What is counted, summed, averaged, grouped and ranked."""
