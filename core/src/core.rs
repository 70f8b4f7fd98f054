//! What a process keeps between pages: an edition with its languages and word tables.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, PoisonError, RwLock};

use crate::hash::HashMap;

use crate::document::Cutting;
use crate::frequencies::Frequencies;
use crate::language::{EditionSpec, Language, LanguageSpec};
use crate::scoring::detection::Markers;
use crate::scoring::page::{score_page, Known, Outcome, Settings};

/// The version of the formulas that this core computes; compared with that of the Python package.
pub const FORMULAS: u32 = 2;
pub const INTERFACE: u32 = 2; // raised with every change of what the package calls, or of what a core returns

pub struct Core {
    pub edition: EditionSpec,
    pub cutting: Cutting,
    pub markers: Markers,
    pub frequencies: Frequencies,
    languages: RwLock<HashMap<String, Arc<Language>>>,
}

impl Core {
    /// An edition without languages yet, from the JSON that Python describes it with.
    pub fn new(edition: &str) -> Result<Core, String> {
        let mut edition: EditionSpec = serde_json::from_str(edition).map_err(|error| error.to_string())?;
        let markers = std::mem::take(&mut edition.markers);
        Ok(Core {
            cutting: Cutting {
                careful: edition.careful,
                unicode_tokens: edition.unicode_tokens,
                evidence_in_prose: edition.evidence_in_prose,
            },
            markers: Markers::new(markers),
            edition,
            frequencies: Frequencies::default(),
            languages: RwLock::default(),
        })
    }

    pub fn add_language(&self, spec: &str) -> Result<(), String> {
        let spec: LanguageSpec = serde_json::from_str(spec).map_err(|error| error.to_string())?;
        let language = Language::build(spec)?;
        let mut languages = self.languages.write().unwrap_or_else(PoisonError::into_inner);
        languages.insert(language.code.clone(), Arc::new(language));
        Ok(())
    }

    pub fn language(&self, code: &str) -> Option<Arc<Language>> {
        self.languages.read().unwrap_or_else(PoisonError::into_inner).get(code).cloned()
    }

    /// Score one page; a defect of this code becomes the page's error.
    pub fn score(&self, text: &str, known: &Known, settings: &Settings) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| score_page(self, text, known, settings))).unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string()));
            Outcome::Failed(message.unwrap_or_else(|| "unknown".to_string()))
        })
    }
}
