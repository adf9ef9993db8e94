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

PRACTICE_TEXTS = {
    "ar": """
text = "جلس على <strong>كرسي</strong> قرب النافذة، ووضع الكتاب على <strong>طاولة</strong> صغيرة."
words = ["هدوء", "قراءة"]
explanation = "الكرسي والطاولة من الأثاث، لكنهما شيئان مختلفان."
""",
    "fa": """
text = "روی <strong>صندلی</strong> کنار پنجره نشست و کتاب را روی <strong>میز</strong> گذاشت."
words = ["آرامش", "خواندن"]
explanation = "صندلی و میز هر دو از اسباب خانه‌اند، اما دو چیز جدا هستند."
""",
}

CHECK_TEXTS = {
    "ar": """
[[questions]]
question = "أي كلمتين متشابهتان في المعنى؟"
answers = ["قهوة وفنجان", "طريق ودرب", "حار وبارد"]
right = 2
why = "الطريق والدرب فقط يمكن أن يحل أحدهما محل الآخر."
""",
    "fa": """
[[questions]]
question = "کدام دو واژه معنای نزدیک دارند؟"
answers = ["قهوه و فنجان", "راه و جاده", "گرم و سرد"]
right = 2
why = "تنها راه و جاده می‌توانند به جای هم بیایند."
""",
}
