"""What shared tasks add to the site."""

from surveys.features import Feature

FEATURE = Feature(
    name="sharedtasks",
    files={
        "surveys.SharedTask": ("archive",),
        "surveys.Submission": ("file",),
        "surveys.TaskPart": ("data", "gold", "practice_data", "practice_gold"),
    },
    find_due="surveys.sharedtasks.retention.personal_data.find_due",
    drop_due="surveys.sharedtasks.retention.personal_data.drop_due",
)
