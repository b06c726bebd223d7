// Chooses what answers: a provider whose key one has, a server of one's own, or a cloud. Begins with a server that is
// found at its usual address.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { SelectField } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/states.tsx'
import { clouds, isCloud } from '../provider-keys/clouds.ts'
import { ProviderKeyForm } from '../provider-keys/provider-key-form.tsx'
import { providerNames } from '../provider-keys/provider-names.ts'
import { foundServersQuery, type Preset } from '../provider-keys/queries.ts'
import { ServerForm } from './server-form.tsx'

export function ProviderChoice({ tenantId }: { tenantId: string }) {
  const servers = useQuery(foundServersQuery(tenantId))
  return (
    <Loaded query={servers} what="the providers">
      {({ presets }) => <Choice tenantId={tenantId} presets={presets} />}
    </Loaded>
  )
}

/** Stands for a server without a preset. No provider and no preset has this name. */
const another = 'another server'

function Choice({ tenantId, presets }: { tenantId: string; presets: readonly Preset[] }) {
  // The form stays as it is when the servers are looked for again.
  const [chosen, setChosen] = useState(() => presets.find(({ found }) => found)?.slug ?? 'openai')
  return (
    <>
      <div className="max-w-xl">
        <SelectField name="choice" label="Provider" value={chosen} onValue={setChosen}>
          <Options group="With a key" names={Object.entries(providerNames)} />
          <Options
            group="On your own machine or network"
            names={[
              ...presets.filter(({ needs_key }) => !needs_key).map((preset): Name => [preset.slug, nameOf(preset)]),
              [another, 'Another server'],
            ]}
          />
          <Options
            group="With a key, as a custom provider"
            names={presets.filter(({ needs_key }) => needs_key).map((preset): Name => [preset.slug, nameOf(preset)])}
          />
          <Options group="Clouds" names={Object.entries(clouds).map(([slug, { name }]): Name => [slug, name])} />
        </SelectField>
      </div>
      <Chosen key={chosen} tenantId={tenantId} chosen={chosen} presets={presets} />
    </>
  )
}

type Name = [slug: string, name: string]

function Options({ group, names }: { group: string; names: readonly Name[] }) {
  return (
    <optgroup label={group}>
      {names.map(([slug, name]) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </optgroup>
  )
}

const nameOf = ({ display_name: name, base_url, found }: Preset): string =>
  found ? `${name}, found at ${new URL(base_url).host}` : name

function Chosen({ tenantId, chosen, presets }: { tenantId: string; chosen: string; presets: readonly Preset[] }) {
  if (isCloud(chosen)) {
    return (
      <p>
        <Link to="/app/tenants/$tenantId/provider-keys/clouds/$cloud" params={{ tenantId, cloud: chosen }}>
          Set up {clouds[chosen].name}
        </Link>
        , then come back to this page.
      </p>
    )
  }
  const preset = presets.find(({ slug }) => slug === chosen)
  if (preset === undefined && chosen !== another) return <ProviderKeyForm tenantId={tenantId} provider={chosen} />
  return <ServerForm tenantId={tenantId} preset={preset ?? null} />
}
