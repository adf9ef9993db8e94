"""A little of a study in two languages that are written from right to left."""

from tests.factories.studies import stimuli_row

ROWS = {
    "ar": stimuli_row(
        word1="كبير",
        word2="واسع",
        context1="البيت <strong>كبير</strong> جدا. الطريق <strong>واسع</strong>. نمشي كل يوم.",
        context2="صدره <strong>واسع</strong> دائما. أخي <strong>كبير</strong> العائلة. نحبه كثيرا.",
        word1_context1="كبير",
        word2_context1="واسع",
        word1_context2="كبير",
        word2_context2="واسع",
    ),
    "fa": stimuli_row(
        word1="بزرگ",
        word2="وسیع",
        context1="خانه <strong>بزرگ</strong> بود. دشت <strong>وسیع</strong> بود. باد می‌آمد.",
        context2="دانش او <strong>وسیع</strong> است. برادر <strong>بزرگ</strong> من آمد. خندیدیم.",
        word1_context1="بزرگ",
        word2_context1="وسیع",
        word1_context2="بزرگ",
        word2_context2="وسیع",
    ),
}
