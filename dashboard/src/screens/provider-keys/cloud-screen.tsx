// One cloud of the tenant: what is configured, and the form that configures it as a whole.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { providersQuery } from '../../api/queries.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { CloudForm } from './cloud-form.tsx'
import { type Cloud, type CloudConfiguration, type CloudField, cloudQuery, clouds, isCloud } from './clouds.ts'
import { ModelList } from './model-list.tsx'
import { toInput } from './model-values.ts'
import { Writable } from './writable.tsx'

export function CloudScreen() {
  const { tenantId, cloud } = useParams({ from: '/app/tenants/$tenantId/provider-keys/clouds/$cloud' })
  const keys = useQuery(providersQuery(tenantId))
  return (
    <Page
      title={isCloud(cloud) ? clouds[cloud].name : 'Cloud'}
      lead={
        <>
          <a href="/docs/cloud-providers">About the clouds</a> ·{' '}
          <Link to="/app/tenants/$tenantId/provider-keys" params={{ tenantId }}>
            All providers
          </Link>
        </>
      }
    >
      {isCloud(cloud) ? (
        <Loaded query={keys} what="the configuration">
          {list =>
            'providers' in list && list.providers.some(({ provider_type }) => provider_type === cloud) ? (
              <Configured tenantId={tenantId} cloud={cloud} />
            ) : (
              <Writable tenantId={tenantId}>
                <CloudForm tenantId={tenantId} cloud={cloud} stored={null} />
              </Writable>
            )
          }
        </Loaded>
      ) : (
        <Empty title="No such cloud">Sallyport knows Azure OpenAI, Amazon Bedrock and Vertex AI.</Empty>
      )}
    </Page>
  )
}

function Configured({ tenantId, cloud }: { tenantId: string; cloud: Cloud }) {
  const configuration = useQuery(cloudQuery(tenantId, cloud))
  return (
    <Loaded query={configuration} what="the configuration">
      {data => <Configuration tenantId={tenantId} cloud={cloud} latest={data} />}
    </Loaded>
  )
}

interface ConfigurationProps {
  tenantId: string
  cloud: Cloud
  latest: CloudConfiguration
}

function Configuration({ tenantId, cloud, latest }: ConfigurationProps) {
  // What the form began with: it stays while the configuration is read again.
  const [stored] = useState(latest)
  return (
    <>
      <Facts cloud={cloud} stored={stored} />
      <Section title={cloud === 'azure' ? 'Deployments' : 'Models'}>
        <ModelList models={stored.models.map(toInput)} />
      </Section>
      <Section title="Replace the configuration">
        <Writable tenantId={tenantId}>
          <p className="max-w-2xl text-soft">
            What you store here replaces the whole configuration, after a check with the cloud. Type the secrets again:
            they are never shown. Until then, requests use what is stored now.
          </p>
          {latest.key_set_at !== stored.key_set_at && (
            <p role="status" className="text-warn">
              Somebody else changed this configuration. What you store replaces theirs.
            </p>
          )}
          <CloudForm tenantId={tenantId} cloud={cloud} stored={stored} />
        </Writable>
      </Section>
    </>
  )
}

function Facts({ cloud, stored }: { cloud: Cloud; stored: CloudConfiguration }) {
  const { fields, credentials } = clouds[cloud]
  const all: CloudField[] = [...fields, ...credentials.flatMap(credential => credential.fields)]
  const labelOf = (name: string) => labelsOfAccount[name] ?? all.find(field => field.name === name)?.label ?? name
  const values = Object.entries(stored.configuration)
  const override = stored.base_url_override
  return (
    <dl className="grid max-w-2xl gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
      {[...values, ...(override === null ? [] : [['base_url_override', override] as const])].map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{labelOf(name)}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
      <div className="contents">
        <dt className="text-soft">Stored credential</dt>
        <dd>
          ends with <code>{stored.key_last4}</code>, stored <Time iso={stored.key_set_at} />
        </dd>
      </div>
    </dl>
  )
}

/** What is shown of a service account, which is one field of the form. */
const labelsOfAccount: Record<string, string> = { project_id: 'Project', client_email: 'Service account' }
