//! What Python sees: a core per edition, which scores batches of pages without the interpreter's lock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::components::{Evidence, Part, Reading, NAMES};
use crate::core::Core;
use crate::detectors::Number;
use crate::scoring::dates::Day;
use crate::scoring::freshness::AsOf;
use crate::scoring::page::{Known, Outcome, PageScore, Settings};

/// A page's text, borrowed from Python where it is valid UTF-8.
enum Text {
    Borrowed(PyBackedStr),
    Owned(String),
}

impl Text {
    fn extract(item: &Bound<'_, PyAny>) -> PyResult<Text> {
        let text = item.cast::<PyString>()?;
        if let Ok(borrowed) = item.extract::<PyBackedStr>() {
            return Ok(Text::Borrowed(borrowed));
        }
        // A lone surrogate has no UTF-8: its three bytes become those of the replacement character.
        let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
        let mut bytes = encoded.cast::<PyBytes>()?.as_bytes().to_vec();
        for at in 0..bytes.len().saturating_sub(2) {
            if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
                bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            }
        }
        Ok(Text::Owned(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn as_str(&self) -> &str {
        match self {
            Text::Borrowed(text) => text,
            Text::Owned(text) => text,
        }
    }
}

/// A page to be scored: its text, title, address and dates.
struct Page {
    text: Text,
    title: Option<Text>,
    url: Option<Text>,
    dates: Vec<Day>,
}

impl Page {
    fn extract(item: &Bound<'_, PyAny>) -> PyResult<Page> {
        let optional = |at: usize| -> PyResult<Option<Text>> {
            let value = item.get_item(at)?;
            if value.is_none() {
                Ok(None)
            } else {
                Text::extract(&value).map(Some)
            }
        };
        Ok(Page {
            text: Text::extract(&item.get_item(0)?)?,
            title: optional(1)?,
            url: optional(2)?,
            dates: item.get_item(3)?.extract()?,
        })
    }

    fn extract_all(items: &Bound<'_, PyAny>) -> PyResult<Vec<Page>> {
        items.try_iter()?.map(|item| Page::extract(&item?)).collect()
    }

    fn score(&self, core: &Core, settings: &Settings) -> Outcome {
        let known = Known {
            title: self.title.as_ref().map(Text::as_str),
            url: self.url.as_ref().map(Text::as_str),
            dates: &self.dates,
        };
        core.score(self.text.as_str(), &known, settings)
    }
}

/// Pools by size. A pool's threads do not survive a fork, so each process has its own.
static POOLS: Mutex<Option<(u32, HashMap<usize, Arc<ThreadPool>>)>> = Mutex::new(None);

fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_none_or(|(owner, _)| *owner != process) {
        // The pools of the process this one was forked from are given up, not dropped: their threads are not here.
        std::mem::forget(pools.replace((process, HashMap::new())));
    }
    let (_, known) = pools.as_mut()?;
    if let Some(pool) = known.get(&threads) {
        return Some(pool.clone());
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().ok()?);
    known.insert(threads, pool.clone());
    Some(pool)
}

fn score_all(core: &Core, pages: &[Page], settings: &Settings, threads: usize) -> Vec<Outcome> {
    let one = |page: &Page| page.score(core, settings);
    if threads > 1 && pages.len() > 1 {
        if let Some(pool) = pool(threads) {
            return pool.install(|| pages.par_iter().map(one).collect());
        }
    }
    pages.iter().map(one).collect()
}

#[pyclass(name = "Core", frozen)]
struct PyCore(Core);

#[pymethods]
impl PyCore {
    /// An edition as JSON, without languages yet.
    #[new]
    fn new(edition: &str) -> PyResult<PyCore> {
        Core::new(edition).map(PyCore).map_err(PyValueError::new_err)
    }

    fn add_table(&self, name: &str, language: &str, text: String) {
        self.0.frequencies.add(name, language, text);
    }

    fn add_language(&self, description: &str) -> PyResult<()> {
        self.0.add_language(description).map_err(PyValueError::new_err)
    }

    /// Score pages, each a tuple of text, title, address and dates as days.
    ///
    /// Returns one entry per page: a tuple of its numbers, or a pair of a reason and what it is about.
    #[pyo3(signature = (pages, language, as_of, weights, evidence, detect, threads))]
    #[allow(clippy::too_many_arguments)]
    fn score<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        language: Option<String>,
        as_of: (Day, i64),
        weights: [f64; NAMES.len()],
        evidence: bool,
        detect: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let (pages, as_of) = (Page::extract_all(pages)?, AsOf { day: as_of.0, year: as_of.1 });
        let settings = Settings { language, as_of, weights, evidence, detect, places: true };
        let outcomes = py.detach(|| score_all(&self.0, &pages, &settings, threads));
        let results = PyList::empty(py);
        for outcome in &outcomes {
            results.append(outcome_to_python(py, outcome)?)?;
        }
        Ok(results)
    }

    /// Score pages into columns: scores, contents, languages, flags, components, errors; None where a page has none.
    ///
    /// A page is flagged when one detector's statistic is over its threshold, in the order of the detectors.
    #[allow(clippy::too_many_arguments)]
    fn columns<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
        language: Option<String>,
        as_of: (Day, i64),
        weights: [f64; NAMES.len()],
        thresholds: Vec<f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (pages, as_of) = (Page::extract_all(pages)?, AsOf { day: as_of.0, year: as_of.1 });
        let settings = Settings { language, as_of, weights, evidence: false, detect: true, places: false };
        let outcomes = py.detach(|| score_all(&self.0, &pages, &settings, threads));
        let scored: Vec<Option<&PageScore>> = outcomes
            .iter()
            .map(|outcome| if let Outcome::Scored(page) = outcome { Some(page.as_ref()) } else { None })
            .collect();
        let flagged = |page: &PageScore| {
            page.signals.iter().zip(&thresholds).any(|((_, signal), limit)| signal.measurement.statistic > *limit)
        };
        let components = PyList::empty(py);
        for at in 0..NAMES.len() {
            components.append(scored.iter().map(|page| page.map(|p| p.readings[at].value)).collect::<Vec<_>>())?;
        }
        let error = |outcome: &Outcome| match outcome {
            Outcome::Scored(_) => None,
            Outcome::Missing(language) => Some(("missing", language.clone())),
            Outcome::Unsupported(language) => Some(("unsupported", language.clone())),
            Outcome::Failed(message) => Some(("failed", message.clone())),
        };
        let fields = [
            scored.iter().map(|page| page.map(|p| p.score)).collect::<Vec<_>>().into_pyobject(py)?.into_any(),
            scored.iter().map(|page| page.map(|p| p.content)).collect::<Vec<_>>().into_pyobject(py)?.into_any(),
            scored
                .iter()
                .map(|page| page.map(|p| p.language.as_str()))
                .collect::<Vec<_>>()
                .into_pyobject(py)?
                .into_any(),
            scored.iter().map(|page| page.map(flagged)).collect::<Vec<_>>().into_pyobject(py)?.into_any(),
            components.into_any(),
            outcomes.iter().map(error).collect::<Vec<_>>().into_pyobject(py)?.into_any(),
        ];
        PyTuple::new(py, fields)
    }
}

fn outcome_to_python<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let pair = |reason: &str, about: &str| Ok((reason, about).into_pyobject(py)?.into_any());
    match outcome {
        Outcome::Scored(page) => Ok(page_to_python(py, page)?.into_any()),
        Outcome::Missing(language) => pair("missing", language),
        Outcome::Unsupported(language) => pair("unsupported", language),
        Outcome::Failed(message) => pair("failed", message),
    }
}

fn page_to_python<'py>(py: Python<'py>, page: &PageScore) -> PyResult<Bound<'py, PyTuple>> {
    let readings: Vec<Bound<'py, PyTuple>> =
        page.readings.iter().map(|reading| reading_to_python(py, reading)).collect::<PyResult<_>>()?;
    let fresh = &page.freshness;
    let freshness = (fresh.value, fresh.terms, fresh.is_dated, evidence_to_python(py, &fresh.evidence)?);
    let signals = PyList::empty(py);
    for (name, signal) in &page.signals {
        let parts = PyDict::new(py);
        for (key, value) in &signal.measurement.parts {
            match value {
                Number::Int(number) => parts.set_item(key, number)?,
                Number::Float(number) => parts.set_item(key, number)?,
            }
        }
        signals.append((name, signal.measurement.statistic, parts, signal.places.clone()))?;
    }
    let matches = PyDict::new(py);
    for (family, found) in &page.matches {
        matches.set_item(family, found)?;
    }
    let fields = [
        page.score.into_pyobject(py)?.into_any(),
        page.content.into_pyobject(py)?.into_any(),
        page.words.into_pyobject(py)?.into_any(),
        page.cap.into_pyobject(py)?.into_any(),
        page.guard.as_ref().map(|guard| (guard.name, guard.share)).into_pyobject(py)?.into_any(),
        page.contributions.as_slice().into_pyobject(py)?.into_any(),
        page.language.as_str().into_pyobject(py)?.into_any(),
        page.detected.as_str().into_pyobject(py)?.into_any(),
        page.title.as_deref().into_pyobject(py)?.into_any(),
        readings.into_pyobject(py)?.into_any(),
        freshness.into_pyobject(py)?.into_any(),
        page.unvalidated.into_pyobject(py)?.into_any(),
        signals.into_any(),
        matches.into_any(),
    ];
    PyTuple::new(py, fields)
}

fn reading_to_python<'py>(py: Python<'py>, reading: &Reading) -> PyResult<Bound<'py, PyTuple>> {
    let parts = PyDict::new(py);
    for (name, part) in &reading.parts {
        let key = PyString::intern(py, name);
        match part {
            Part::Int(value) => parts.set_item(key, value)?,
            Part::Float(value) => parts.set_item(key, value)?,
            Part::Undefined => parts.set_item(key, py.None())?,
            Part::List(values) => parts.set_item(key, values)?,
        }
    }
    let degenerate = match reading.degenerate {
        Some(reason) => PyString::intern(py, reason).into_any(),
        None => py.None().into_bound(py),
    };
    (reading.value, degenerate, parts, evidence_to_python(py, &reading.evidence)?).into_pyobject(py)
}

fn evidence_to_python<'py>(py: Python<'py>, evidence: &[Evidence]) -> PyResult<Bound<'py, PyList>> {
    let rows = evidence.iter().map(|e| (e.start, e.end, e.line, e.pattern.as_str(), e.family.as_str()));
    PyList::new(py, rows.collect::<Vec<_>>())
}

/// Values of the functions that could differ between this core and the Python process: logarithms, powers, gzip, rounding.
#[pyfunction]
fn probe(texts: Vec<Vec<u8>>, numbers: Vec<f64>) -> (Vec<u64>, Vec<(f64, f64, f64, f64, f64)>) {
    let lengths = texts.iter().map(|text| crate::components::gzip_length(text)).collect();
    let power = |x: f64| crate::arithmetic::pow(x, 2.0) + crate::arithmetic::pow(x, 0.5);
    let values = |x: &f64| (x.ln(), x.log2(), x.log10(), power(*x), crate::arithmetic::round9(*x));
    (lengths, numbers.iter().map(values).collect())
}

#[pymodule]
fn steelyard_core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    std::panic::set_hook(Box::new(|_| {})); // a panic becomes that page's error
    module.add(intern!(module.py(), "VERSION"), env!("CARGO_PKG_VERSION"))?;
    module.add(intern!(module.py(), "FORMULAS"), crate::core::FORMULAS)?;
    module.add(intern!(module.py(), "CHARACTERS"), crate::chars::TABLE)?;
    module.add_class::<PyCore>()?;
    module.add_function(wrap_pyfunction!(probe, module)?)
}
