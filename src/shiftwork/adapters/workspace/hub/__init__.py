"""The harness's repository beside the user's, and the user's branches and trees."""
