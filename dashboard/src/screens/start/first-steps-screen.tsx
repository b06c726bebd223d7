// From a new project to its first answer, and to the code for an application of one's own.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import { request } from '../../api/management.ts'
import { apiKeysQuery, type OneProject, projectQuery, queryClient } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { AllowOrigin } from './allow-origin.tsx'
import { AppCode } from './app-code.tsx'
import { FirstAnswer } from './first-answer.tsx'
import { ModelStep } from './model-step.tsx'
import { PageWithoutServer } from './page-without-server.tsx'

export function FirstStepsScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/first-steps' })
  const project = useQuery(projectQuery(projectId))
  return (
    <Loaded query={project} what="the project" pageTitle="Project">
      {data => <FirstSteps key={data.id} project={data} />}
    </Loaded>
  )
}

function FirstSteps({ project }: { project: OneProject }) {
  const mayWrite = useMay(project.tenant_id)('settings:write')
  const { apiKey, provideKey } = useNewKey(project.id)
  return (
    <Page
      title={`First steps of ${project.name}`}
      lead="Choose a model, get the first answer, then take the code for your own application."
    >
      {mayWrite ? (
        <>
          <ModelStep project={project} />
          <FirstAnswer project={project} provideKey={provideKey} />
          <AllowOrigin project={project} />
          <AppCode slug={project.slug} apiKey={apiKey} provideKey={provideKey} />
          <PageWithoutServer project={project} />
        </>
      ) : (
        <RoleHint to="set up the project" />
      )}
    </Page>
  )
}

/** One API key for this visit, created when it is first needed. Its plaintext stays in the page's memory. */
function useNewKey(projectId: string) {
  const [apiKey, setApiKey] = useState<string | null>(null)
  const creating = useRef<Promise<string> | null>(null)
  const provideKey = useCallback(async (): Promise<string> => {
    creating.current ??= createKey(projectId)
    try {
      const created = await creating.current
      setApiKey(created)
      return created
    } catch (error) {
      creating.current = null
      throw error
    }
  }, [projectId])
  return { apiKey, provideKey }
}

async function createKey(projectId: string): Promise<string> {
  const path = '/auth/v1/projects/{projectId}/api-keys'
  const created = await request('POST', path, { path: { projectId }, body: { name: 'First steps' } })
  await queryClient.invalidateQueries({ queryKey: apiKeysQuery(projectId).queryKey })
  return created.api_key
}
