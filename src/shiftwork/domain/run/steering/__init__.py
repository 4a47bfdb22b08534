"""What users ask of a run while it is in progress, and which options it keeps."""
