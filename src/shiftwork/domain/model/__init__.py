"""What things are: specs, workflows, pipelines, stories, runs, the landing queue, facts and effects."""
