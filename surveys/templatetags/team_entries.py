"""Words for the log entries of teams; `log_entries` uses them."""

# What was done; {} is the name of the team.
ACTIONS = {
    "team.accepted": "Accepted the team {}",
    "team.attempts_allowed": "Allowed more attempts to {}",
    "team.excluded": "Excluded the team {}",
    "team.merged": "Merged the team {}",
    "team.own_made": "Made the organisers’ own team {}",
    "team.readmitted": "Accepted the excluded team {} again",
    "team.captain_made": "Made a member a captain of the team {}",
    "team.declined": "Declined the team {}",
    "team.described": "Changed the description of the team {}",
    "team.joined": "Joined the team {}",
    "team.link_made": "Made a link to join the team {}",
    "team.link_revoked": "Revoked a link of the team {}",
    "team.made": "Invited the team {}",
    "team.member_removed": "Removed a member from the team {}",
    "team.password_link_made": "Made a link to choose a new password, for a member of the team {}",
    "team.registered": "Registered the team {}",
    "team.renamed": "Renamed a team: it is now {}",
    "team.terms_accepted": "Accepted the terms for the team {}",
    "team.withdrawn": "Withdrew the team {}",
}
FIELDS = {
    "before": "Before",
    "changed": "Changed",
    "member": "Member",
}
