// From a new project to its first answer, and to the code for an application of one's own. Each step shows what is done
// already, so that the way can be left and resumed.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type OneProject, projectQuery } from '../../api/queries.ts'
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
  return (
    <Page
      title={`First steps of ${project.name}`}
      lead="Choose a model, get the first answer, then take the code for your own application."
    >
      {mayWrite ? (
        <>
          <ModelStep project={project} />
          <FirstAnswer project={project} />
          <AllowOrigin project={project} />
          <AppCode project={project} />
          <PageWithoutServer project={project} />
        </>
      ) : (
        <RoleHint to="set up the project" />
      )}
    </Page>
  )
}
