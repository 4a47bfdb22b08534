"""The one reader of the environment and of settings files: `site` is quick, `settings` is thorough.

One subject a file:
    site, project, user                  where we are; who registered the state; the user's own folder
    settings, sandbox_settings, values   the settings, and of which types their values are
    recorded, mistakes                   what a run records of them; what is wrong in a file
    template, prd_template               files that are written for the user
    trust, consent, agreed, includes     what the user has agreed to, and files that are copied
    surroundings, variables, clouds      what of the environment programs get to see
    agent_files, agent_hosts             the agents' own settings; which hosts their models are on
    secrets                              which values are secrets
    detection, registries                what the project has; where its packages come from
"""
