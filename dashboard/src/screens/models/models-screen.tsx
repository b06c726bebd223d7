// The models of a project: which one answers, which one is the draft, and all others with capabilities and prices.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { liveMs, modelsQuery, type OneProject, projectQuery, providersQuery, settingsQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { isOwnModel } from '../../api/usable-models.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { draftActs, LastChange } from '../audit/last-change.tsx'
import { ChosenModels } from './chosen-models.tsx'
import { ModelCatalog } from './model-catalog.tsx'

export function ModelsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/models' })
  const project = useQuery(projectQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Models">
      {data => <Models key={data.id} project={data} />}
    </Loaded>
  )
}

function Models({ project }: { project: OneProject }) {
  const { id: projectId, tenant_id: tenantId } = project
  const may = useMay(tenantId)
  const mayEdit = useMayEdit(project)
  const settings = useQuery({ ...settingsQuery(projectId), refetchInterval: liveMs })
  const models = useQuery(modelsQuery(tenantId))
  const keys = useQuery(providersQuery(tenantId))
  const keyed =
    keys.data !== undefined && 'providers' in keys.data ? keys.data.providers.map(key => key.provider_type) : []
  const known = models.data?.models ?? []
  return (
    <Page
      title="Models"
      lead={
        <>
          Choose a draft model, try it in the{' '}
          <Link to="/app/projects/$projectId/playground" params={{ projectId }}>
            playground
          </Link>
          , then deploy it. <a href="/docs/providers">About providers</a>
        </>
      }
    >
      <Loaded query={settings} what="the settings">
        {chosen => (
          <>
            <ChosenModels
              projectId={projectId}
              chosen={chosen}
              defaultModel={known.find(model => !isOwnModel(model, keyed))?.modelId ?? null}
              canChoose={known.some(model => isOwnModel(model, keyed))}
              may={may}
              mayEdit={mayEdit}
            />
            <Loaded query={models} what="the models">
              {({ models: usable }) => (
                <Loaded query={keys} what="the provider keys">
                  {() => (
                    <ModelCatalog
                      project={project}
                      chosen={chosen}
                      models={usable}
                      providers={keyed}
                      mayWrite={mayEdit('settings:write')}
                    />
                  )}
                </Loaded>
              )}
            </Loaded>
          </>
        )}
      </Loaded>
      <LastChange tenantId={tenantId} target={projectId} actions={draftActs} />
    </Page>
  )
}
