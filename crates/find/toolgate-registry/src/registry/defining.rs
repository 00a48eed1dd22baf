//! Agent definitions and capabilities while the gateway runs.

use std::sync::Arc;

use toolgate_core::scope::{AgentDefinition, AgentName, Capability, CapabilityName, Definitions};
use toolgate_core::{PrincipalId, Refusal};

use super::Registry;
use crate::definitions::{DefinitionProblem, DefinitionsInForce};
use crate::known::CurrentSetting;
use crate::source::FileState;

impl Registry {
    /// The current definitions of the file and of the settings. The identical value is returned until
    /// something changes.
    pub fn definitions(&self) -> Arc<Definitions> {
        Arc::clone(&self.desk.defined.load().definitions)
    }

    /// The same, with where each was written.
    pub fn defined(&self) -> Arc<DefinitionsInForce> {
        self.desk.defined.load_full()
    }

    /// The parts of definitions without effect.
    pub fn problems(&self) -> Vec<DefinitionProblem> {
        self.desk.defined.load().problems.clone()
    }

    /// Adds or replaces an agent definition of the settings; it is in effect in this process on return.
    /// `expected` is the version of the setting `agents`.
    pub async fn put_agent(
        &self,
        by: &PrincipalId,
        definition: AgentDefinition,
        expected: Option<u64>,
    ) -> Result<CurrentSetting, Refusal> {
        let put = self.desk.records.put_agent(by, definition, expected, &self.file()).await?;
        self.defined_anew(put).await
    }

    pub async fn remove_agent(
        &self,
        by: &PrincipalId,
        name: &AgentName,
        expected: Option<u64>,
    ) -> Result<CurrentSetting, Refusal> {
        let removed = self.desk.records.remove_agent(by, name, expected, &self.file()).await?;
        self.defined_anew(removed).await
    }

    /// Adds or replaces a capability of the settings, likewise. `expected` is the version of the setting `capabilities`.
    pub async fn put_capability(
        &self,
        by: &PrincipalId,
        definition: Capability,
        expected: Option<u64>,
    ) -> Result<CurrentSetting, Refusal> {
        let put = self.desk.records.put_capability(by, definition, expected, &self.file()).await?;
        self.defined_anew(put).await
    }

    /// Refused while an agent has it.
    pub async fn remove_capability(
        &self,
        by: &PrincipalId,
        name: &CapabilityName,
        expected: Option<u64>,
    ) -> Result<CurrentSetting, Refusal> {
        let removed = self.desk.records.remove_capability(by, name, expected, &self.file()).await?;
        self.defined_anew(removed).await
    }

    fn file(&self) -> FileState {
        self.desk.state().file.clone()
    }

    async fn defined_anew(&self, setting: CurrentSetting) -> Result<CurrentSetting, Refusal> {
        self.taken_up("a definition", self.desk.load_settings().await.map(drop)).await;
        Ok(setting)
    }
}
