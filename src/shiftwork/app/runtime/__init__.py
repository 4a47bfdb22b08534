"""What every job stands on: context, recorder, leases, heartbeats, locations."""
