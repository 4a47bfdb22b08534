"""What every job uses: context, recorder, leases, heartbeats, locations."""
