"""From a piece of work to a plan that can be looked at before anything is spent; pure, like the domain."""
