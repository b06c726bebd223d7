// Removes a provider key or the configuration of a cloud; says first which projects stop answering.
import { useQueries, useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { projectsQuery, queryClient, settingsQuery } from '../../api/queries.ts'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'
import { isCloud } from './clouds.ts'
import { nameOfProvider } from './provider-names.ts'

/** With more projects only their number is said, because each would be a request. */
const maxNamed = 20

export function useRemoveKey(tenantId: string): (provider: string, projectsUsing: number) => void {
  const confirm = useConfirm()
  const toast = useToast()
  return (provider, count) => {
    const name = nameOfProvider(provider)
    const words = isCloud(provider) ? cloudWords : keyWords
    confirm({
      title: `${words.verb} the ${name} ${words.noun}?`,
      body: (
        <>
          <Broken name={name} noun={words.noun} count={count} />
          {count > 0 && <ProjectsUsing tenantId={tenantId} provider={provider} />}
          <p>
            A draft model of {name} cannot be deployed, and end users of a tier with one are rejected, until there is a{' '}
            {words.noun} again.
          </p>
        </>
      ),
      action: `${words.verb} ${words.noun}`,
      run: async () => {
        const path = { tenantId, providerType: provider }
        await request('DELETE', '/auth/v1/tenants/{tenantId}/providers/{providerType}', { path })
        await queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
        toast.show(`The ${name} ${words.noun} is ${words.done}.`)
      },
    })
  }
}

const keyWords = { noun: 'key', verb: 'Remove', done: 'removed' }
const cloudWords = { noun: 'configuration', verb: 'Delete', done: 'deleted' }

function Broken({ name, noun, count }: { name: string; noun: string; count: number }) {
  if (count === 0) return <p>No project answers with a model of {name} now.</p>
  return (
    <p>
      {count === 1 ? 'One project answers' : `${count} projects answer`} with a model of {name}: all requests of their
      end users are rejected at once, until there is a {noun} again or another model is chosen.
    </p>
  )
}

function ProjectsUsing({ tenantId, provider }: { tenantId: string; provider: string }) {
  const { data: projects = [] } = useQuery(projectsQuery(tenantId))
  const isNamed = projects.length <= maxNamed
  const settings = useQueries({ queries: isNamed ? projects.map(({ id }) => settingsQuery(id)) : [] })
  const using = projects.filter((_, index) => settings[index]?.data?.provider_model?.startsWith(`${provider}/`))
  if (using.length === 0) return null
  return (
    <ul aria-label="Projects that stop answering" className="list-disc pl-5">
      {using.map(({ id, name }) => (
        <li key={id}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}
