// Adds the origin of the user's page to the origins that the project allows, and deploys.
import { useQuery } from '@tanstack/react-query'
import { addOrigin, deployDraft } from '../../api/draft.ts'
import { type OneProject, settingsQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { FileHint, Loaded } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

export function AllowOrigin({ project }: { project: OneProject }) {
  const settings = useQuery(settingsQuery(project.id))
  return (
    <Section title="3. The origin of your page">
      <p className="text-soft">A browser may call the project only from the origins that you allow.</p>
      <Loaded query={settings} what="the settings">
        {({ cors_origins }) => <Origins project={project} origins={cors_origins} />}
      </Loaded>
    </Section>
  )
}

function Origins({ project, origins }: { project: OneProject; origins: string[] }) {
  return (
    <>
      <p>Allowed:</p>
      <ul className="list-disc pl-5">
        {origins.map(origin => (
          <li key={origin}>
            <code>{origin}</code>
          </li>
        ))}
      </ul>
      {project.managed_by === null ? <OriginForm projectId={project.id} /> : <FileHint />}
    </>
  )
}

function OriginForm({ projectId }: { projectId: string }) {
  const toast = useToast()
  const submit = async ({ cors_origins = '' }: FormValues): Promise<void> => {
    await addOrigin(projectId, cors_origins.trim())
    await deployDraft(projectId)
    toast.show('The origin is allowed, and the settings are deployed.')
  }
  return (
    <Form submit={submit} submitLabel="Allow and deploy">
      <TextField
        name="cors_origins"
        label="Origin"
        defaultValue="http://localhost:3000"
        hint="Scheme, host and port of your page. The settings that are saved as a draft are deployed with it."
        required
      />
    </Form>
  )
}
