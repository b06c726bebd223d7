// The settings that result for the end users of each tier, beside those of the project.
import { Badge } from '../../ui/badge.tsx'
import { Scrollable } from '../../ui/scrollable.tsx'
import { fields, type SettingsValues } from '../settings/fields.ts'
import { describeShortly } from './overrides.tsx'
import { type OverrideField, overrideFields, type Tier } from './queries.ts'

interface ResolvedSettingsProps {
  project: SettingsValues
  tiers: readonly Tier[]
}

export function ResolvedSettings({ project, tiers }: ResolvedSettingsProps) {
  return (
    <Scrollable label="Resolved settings" className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full text-left text-sm">
        <caption className="sr-only">Resolved settings by tier</caption>
        <thead className="bg-side text-xs text-soft">
          <tr>
            <ColumnTitle title="Setting" />
            <ColumnTitle title="Project" />
            {tiers.map(({ id, name }) => (
              <ColumnTitle key={id} title={name} />
            ))}
          </tr>
        </thead>
        <tbody>
          {overrideFields.map(field => (
            <tr key={field} className="border-t border-line align-baseline">
              <th scope="row" className="min-w-40 px-3 py-2 font-medium">
                {fields[field].label}
              </th>
              <td className="min-w-32 px-3 py-2">
                <bdi>{describeShortly(field, project[field])}</bdi>
              </td>
              {tiers.map(tier => (
                <td key={tier.id} className="min-w-40 px-3 py-2">
                  <ResolvedValue tier={tier} field={field} inherited={project[field]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}

function ColumnTitle({ title }: { title: string }) {
  return (
    <th scope="col" className="min-w-32 px-3 py-2 font-medium">
      <bdi>{title}</bdi>
    </th>
  )
}

/** Inherited, these bound all end users together; as an override they bound each one. */
const sharedFields: readonly OverrideField[] = ['rpm_limit', 'tokens_per_day']

interface ResolvedValueProps {
  tier: Tier
  field: OverrideField
  /** The value of the draft, whose model the API does not resolve. */
  inherited: unknown
}

function ResolvedValue({ tier, field, inherited }: ResolvedValueProps) {
  const isOverridden = Object.hasOwn(tier.overrides, field)
  const words = <bdi>{describeShortly(field, isOverridden ? tier.resolved[field] : inherited)}</bdi>
  if (!isOverridden) {
    return (
      <span className="text-soft">
        {words}
        {sharedFields.includes(field) && ', shared with the whole project'}
      </span>
    )
  }
  return (
    <span className="flex flex-wrap items-baseline gap-2 font-medium">
      {words} <Badge tone="warn">override</Badge>
    </span>
  )
}
