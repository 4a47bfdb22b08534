"""What is shown of long texts, such as the output of a gate."""
