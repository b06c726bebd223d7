// The values that are live: those of the draft, but of the fields that a deploy would change the deployed ones.
import type { SettingsDraft } from '../../api/draft.ts'
import { isSettingsField, type SettingsValues } from './fields.ts'
import type { SettingChange } from './queries.ts'

export function liveValues(draft: SettingsDraft, changes: readonly SettingChange[]): SettingsValues {
  const deployed = changes.filter(({ field }) => isSettingsField(field)).map(({ field, from }) => [field, from])
  return { ...draft, ...Object.fromEntries(deployed) }
}
