"""What a deploy would send to AWS: the template as AWS reads it, and the built packages, run."""
