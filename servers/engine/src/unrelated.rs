//! Nearness in meaning, measured from what unrelated sentences have. Models differ in that: with some, any two sentences have a
//! cosine of 0.75, with others of 0. So a cosine says nothing by itself; its place between unrelated sentences and the query does.

use engine_protocol::EngineFault;
use sentence_encoder::Encoder;

use crate::model::{cosine, unit_vectors};

/// About many things, none of which most queries ask about.
const SENTENCES: [&str; 32] = [
    "The train to the coast leaves at seven in the morning.",
    "Add the flour slowly and stir until the dough is smooth.",
    "The committee elected a new chair in the spring.",
    "Water boils at a lower temperature in the mountains.",
    "She plays the cello in a small orchestra.",
    "The bridge was closed for repairs last winter.",
    "Bees find their way back by the position of the sun.",
    "The goalkeeper stopped two penalties in the final.",
    "Paint dries faster in a warm and airy room.",
    "The museum shows drawings from the sixteenth century.",
    "A new version of the program fixes several errors.",
    "The river floods the meadows almost every year.",
    "He bought a used car with a broken headlight.",
    "The children built a house of cardboard boxes.",
    "Interest rates rose by a quarter of a percent.",
    "The patient takes one tablet after each meal.",
    "Clouds of dust hide the centre of the galaxy.",
    "The court rejected the appeal of the defendant.",
    "Wolves live in packs and hunt together.",
    "The novel tells the story of three sisters.",
    "Turn the key twice to open the heavy door.",
    "The harvest was poor because of the long drought.",
    "Copper conducts electricity better than iron.",
    "The choir sings in the old church on Sundays.",
    "The factory makes screws and small gears.",
    "Our neighbours have a garden full of roses.",
    "The pilot reported strong wind over the runway.",
    "The soup needs a little more salt and pepper.",
    "The election result was announced after midnight.",
    "Glaciers have become much shorter in this century.",
    "The tailor shortened the sleeves of the coat.",
    "The teacher explained the rule with an example.",
];
/// A model for which everything is alike has nothing to measure with.
const RANGE_MIN: f32 = 0.01;

/// The vectors of sentences that have nothing to do with a query.
pub(crate) struct UnrelatedSentences(Vec<Vec<f32>>);

impl UnrelatedSentences {
    pub(crate) fn of(model: &dyn Encoder) -> Result<Self, EngineFault> {
        unit_vectors(model, &SENTENCES).map(Self)
    }

    /// The mean of their cosines with a query. A sentence that happens to be about the same thing changes little.
    pub(crate) fn cosine(&self, query: &[f32]) -> f32 {
        let sum: f32 = self.0.iter().map(|vector| cosine(vector, query)).sum();
        sum / self.0.len().max(1) as f32
    }
}

/// Nearness in meaning: about 0 for unrelated sentences, 1 for the query itself.
pub(crate) fn nearness(cosine: f32, unrelated: f32) -> f32 {
    (cosine - unrelated) / (1.0 - unrelated).max(RANGE_MIN)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sentence_encoder::Model;

    use super::*;

    #[test]
    fn nearness_goes_from_unrelated_to_the_same() {
        for unrelated in [0.0, 0.75] {
            assert_eq!(nearness(unrelated, unrelated), 0.0);
            assert!((nearness(1.0, unrelated) - 1.0).abs() < 1e-6);
        }
        assert!((nearness(0.86, 0.75) - 0.44).abs() < 0.01 && (nearness(0.45, 0.02) - 0.44).abs() < 0.01);
        assert!(nearness(1.0, 1.0).is_finite());
    }

    /// Sentences that answer a query in other words, and the nearest sentences where nothing answers it.
    const ANSWERED: [(&str, &str); 8] = [
        (
            "how long may I wait before I submit travel receipts",
            "Employees hand in receipts within thirty days after a journey.",
        ),
        (
            "What does it cost to cancel the contract early?",
            "Whoever ends the agreement before its term pays a fee of two monthly instalments.",
        ),
        ("Can I bring my dog to work?", "Animals are not allowed in the offices."),
        ("side effects of the medicine", "Some people who took the drug reported headaches and nausea."),
        ("how hot does the engine get", "The temperature of the motor reaches 90 degrees under load."),
        ("stolen laptop", "A lost device is reported to the security desk within one hour."),
        ("How much holiday do I get?", "Every employee has twenty-eight days of vacation a year."),
        (
            "Does the warranty cover water damage?",
            "Defects caused by moisture are excluded from the guarantee.",
        ),
    ];
    const UNANSWERED: [(&str, &str); 6] = [
        ("who won the football championship", "Nobody may share a password with a colleague."),
        ("maximum speed of the new aircraft", "Flights are booked in economy class."),
        (
            "Is smoking allowed in the building?",
            "The tenant may not sublet any part without written consent.",
        ),
        ("how is the roof insulated", "The company insures every employee who travels."),
        ("What is the salary of a director?", "The rent is four thousand two hundred euros a month."),
        ("How do I reset the coffee machine?", "Call the emergency number before you see a doctor."),
    ];

    #[test]
    fn with_the_shipped_model_answers_in_other_words_are_nearer_than_what_answers_nothing() {
        let Some(folder) = capability_kit::environment::variable("TOOLGATE_TEST_MODEL") else {
            eprintln!("skipped: TOOLGATE_TEST_MODEL names no folder with a model; script/model fetches one");
            return;
        };
        let model = Model::load(Path::new(&folder)).expect("a model");
        let unrelated = UnrelatedSentences::of(&model).expect("encoded");
        let nearness_of = |query: &str, text: &str| {
            let vectors = unit_vectors(&model, &[query, text]).expect("encoded");
            nearness(cosine(&vectors[0], &vectors[1]), unrelated.cosine(&vectors[0]))
        };
        for (query, text) in ANSWERED {
            assert!(nearness_of(query, text) > 0.35, "{query}: {text}: {}", nearness_of(query, text));
        }
        for (query, text) in UNANSWERED {
            assert!(nearness_of(query, text) < 0.35, "{query}: {text}: {}", nearness_of(query, text));
        }
    }
}
