//! What Python sees: a core per edition, which scores batches of pages without the interpreter's lock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::components::{Evidence, Part, NAMES};
use crate::core::Core;
use crate::detectors::Number;
use crate::probes;
use crate::scoring::dates::Day;
use crate::scoring::freshness::AsOf;
use crate::scoring::page::{Known, Outcome, PageScore, Settings, Signal};

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

/// What `take` makes of each page's outcome, on the thread that scored the page.
fn score_all<T, F>(core: &Core, pages: &[Page], settings: &Settings, threads: usize, take: F) -> Vec<T>
where
    T: Send,
    F: Fn(Outcome) -> T + Sync,
{
    let one = |page: &Page| take(page.score(core, settings));
    if threads > 1 && pages.len() > 1 {
        if let Some(pool) = pool(threads) {
            return pool.install(|| pages.par_iter().map(one).collect());
        }
    }
    pages.iter().map(one).collect()
}

/// A page's row of a table: why it has no numbers, or its score, content, language, flag and components.
type Row = Result<Numbers, Reason>;

/// Why a page could not be scored, and what the reason is about.
type Reason = (&'static str, String);

struct Numbers {
    score: f64,
    content: f64,
    words: usize,
    language: String,
    flagged: bool,
    components: [f64; NAMES.len()],
}

fn read_outcome(outcome: Outcome) -> Result<Box<PageScore>, Reason> {
    match outcome {
        Outcome::Scored(page) => Ok(page),
        Outcome::Missing(language) => Err(("missing", language)),
        Outcome::Unsupported(language) => Err(("unsupported", language)),
        Outcome::Failed(message) => Err(("failed", message)),
    }
}

fn make_row(outcome: Outcome, thresholds: &[f64]) -> Row {
    let page = read_outcome(outcome)?;
    let over = |(signal, limit): (&(&str, Signal), &f64)| signal.1.measurement.statistic > *limit;
    Ok(Numbers {
        score: page.score,
        content: page.content,
        words: page.words,
        flagged: page.signals.iter().zip(thresholds).any(over),
        components: std::array::from_fn(|at| page.readings[at].value),
        language: page.language,
    })
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

    fn add_table(&self, name: &str, language: &str, lines: PyBackedBytes) {
        self.0.frequencies.add(name, language, lines);
    }

    fn add_language(&self, description: &str) -> PyResult<()> {
        self.0.add_language(description).map_err(PyValueError::new_err)
    }

    /// Score pages, each a tuple of text, title, address and dates as days.
    ///
    /// Returns one entry per page: a Scored, or a pair of a reason and what it is about.
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
        let outcomes = py.detach(|| score_all(&self.0, &pages, &settings, threads, read_outcome));
        let results = PyList::empty(py);
        for outcome in outcomes {
            match outcome {
                Ok(page) => results.append(Scored(page))?,
                Err(reason) => results.append(reason)?,
            }
        }
        Ok(results)
    }

    /// Score pages into columns: scores, contents, words, languages, flags, components, errors; None where a page has none.
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
        let take = |outcome| make_row(outcome, &thresholds);
        let rows = py.detach(|| score_all(&self.0, &pages, &settings, threads, take));
        let components = PyList::empty(py);
        for at in 0..NAMES.len() {
            components.append(column(py, &rows, |row| row.components[at])?)?;
        }
        let errors: Vec<Option<&Reason>> = rows.iter().map(|row| row.as_ref().err()).collect();
        let fields = [
            column(py, &rows, |row| row.score)?,
            column(py, &rows, |row| row.content)?,
            column(py, &rows, |row| row.words)?,
            column(py, &rows, |row| PyString::intern(py, &row.language))?,
            column(py, &rows, |row| row.flagged)?,
            components.into_any(),
            errors.into_pyobject(py)?.into_any(),
        ];
        PyTuple::new(py, fields)
    }
}

/// One field of all rows; None where a row has no numbers.
fn column<'py, 'a, T, F>(py: Python<'py>, rows: &'a [Row], field: F) -> PyResult<Bound<'py, PyAny>>
where
    T: IntoPyObject<'py>,
    F: Fn(&'a Numbers) -> T,
{
    let values: Vec<Option<T>> = rows.iter().map(|row| row.as_ref().ok().map(&field)).collect();
    Ok(values.into_pyobject(py)?.into_any())
}

/// A page's score. Each part becomes a Python object when it is asked for: many callers want few of them.
#[pyclass(frozen)]
struct Scored(Box<PageScore>);

#[pymethods]
impl Scored {
    /// The numbers that every score has, in the order `results.build_score` reads them.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let page = &self.0;
        let fresh = &page.freshness;
        let freshness = (fresh.value, fresh.terms, fresh.is_dated, evidence_to_python(py, &fresh.evidence)?);
        let fields = [
            page.score.into_pyobject(py)?.into_any(),
            page.content.into_pyobject(py)?.into_any(),
            page.words.into_pyobject(py)?.into_any(),
            page.cap.into_pyobject(py)?.into_any(),
            page.guard.as_ref().map(|guard| (guard.name, guard.share)).into_pyobject(py)?.into_any(),
            page.contributions.as_slice().into_pyobject(py)?.into_any(),
            PyString::intern(py, &page.language).into_any(),
            PyString::intern(py, &page.detected).into_any(),
            page.title.as_deref().into_pyobject(py)?.into_any(),
            freshness.into_pyobject(py)?.into_any(),
            page.unvalidated.into_pyobject(py)?.into_any(),
            page.prose.map(|prose| (prose.words, prose.share, prose.content_words)).into_pyobject(py)?.into_any(),
        ];
        PyTuple::new(py, fields)
    }

    /// The reading of the component at a place in the order of the components.
    fn reading<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyTuple>> {
        let reading = self.0.readings.get(at).ok_or_else(|| PyIndexError::new_err(at))?;
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
        let degenerate = reading.degenerate.map(|reason| PyString::intern(py, reason));
        (reading.value, degenerate, parts, evidence_to_python(py, &reading.evidence)?).into_pyobject(py)
    }

    /// What the detectors measured: name, statistic, parts and places of each.
    fn signals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let signals = PyList::empty(py);
        for (name, signal) in &self.0.signals {
            let parts = PyDict::new(py);
            for (key, value) in &signal.measurement.parts {
                match value {
                    Number::Int(number) => parts.set_item(key, number)?,
                    Number::Float(number) => parts.set_item(key, number)?,
                }
            }
            signals.append((name, signal.measurement.statistic, parts, signal.places.clone()))?;
        }
        Ok(signals)
    }

    /// All matches by family: pattern, start and end in the reading text.
    fn matches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let matches = PyDict::new(py);
        for (family, found) in &self.0.matches {
            matches.set_item(family, found)?;
        }
        Ok(matches)
    }
}

fn evidence_to_python<'py>(py: Python<'py>, evidence: &[Evidence]) -> PyResult<Bound<'py, PyList>> {
    let rows = evidence.iter().map(|e| (e.start, e.end, e.line, e.pattern.as_str(), e.family.as_str()));
    PyList::new(py, rows.collect::<Vec<_>>())
}

#[pymodule]
fn steelyard_core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    std::panic::set_hook(Box::new(|_| {})); // a panic becomes that page's error
    module.add(intern!(module.py(), "VERSION"), env!("CARGO_PKG_VERSION"))?;
    module.add(intern!(module.py(), "FORMULAS"), crate::core::FORMULAS)?;
    module.add(intern!(module.py(), "INTERFACE"), crate::core::INTERFACE)?;
    module.add(intern!(module.py(), "CHARACTERS"), crate::chars::TABLE)?;
    module.add_class::<PyCore>()?;
    module.add_function(wrap_pyfunction!(probes::probe, module)?)?;
    module.add_function(wrap_pyfunction!(probes::probe_characters, module)?)?;
    module.add_function(wrap_pyfunction!(probes::probe_composition, module)?)?;
    module.add_function(wrap_pyfunction!(probes::probe_pattern, module)?)
}
