"""What agents are told and what is understood of their answers: values in, values out."""
