// The first of the first steps: the model that answers. A model needs a provider key of the tenant, unless the operator
// set a default model for the installation.
import { useQuery } from '@tanstack/react-query'
import { refreshSettings } from '../../api/draft.ts'
import { request } from '../../api/management.ts'
import { modelsQuery, type OneProject, providersQuery, settingsQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { answersChats, isOwnModel, suggestModel, type UsableModel } from '../../api/usable-models.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { FileHint, Loaded } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ModelOptions } from '../models/model-options.tsx'
import { PlanForm } from './plan-form.tsx'
import { ProviderChoice } from './provider-choice.tsx'

export function ModelStep({ project }: { project: OneProject }) {
  const settings = useQuery(settingsQuery(project.id))
  const providers = useQuery(providersQuery(project.tenant_id))
  const models = useQuery(modelsQuery(project.tenant_id))
  return (
    <Section title="1. The model">
      <Loaded query={settings} what="the settings">
        {({ provider_model: model }) => (
          <Loaded query={models} what="the models">
            {({ models: usable }) => (
              <Loaded query={providers} what="the provider keys">
                {keys => {
                  const configured = 'providers' in keys ? keys.providers.map(key => key.provider_type) : []
                  const ownModels = usable.filter(model => isOwnModel(model, configured))
                  const platformModel = usable.find(model => !ownModels.includes(model))
                  return (
                    <>
                      <CurrentModel model={model} platformModel={platformModel?.modelId ?? null} />
                      {project.managed_by !== null ? (
                        <FileHint />
                      ) : configured.length + ownModels.length > 0 ? (
                        <ModelForm project={project} models={ownModels.filter(answersChats)} current={model} />
                      ) : (
                        <OwnKey tenantId={project.tenant_id} isNeeded={platformModel === undefined} />
                      )}
                    </>
                  )
                }}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}

/** Folded away if the project can answer without it. */
function OwnKey({ tenantId, isNeeded }: { tenantId: string; isNeeded: boolean }) {
  const isPro = useUser().tenants.find(({ id }) => id === tenantId)?.plan === 'pro'
  const form = isPro ? <ProviderChoice tenantId={tenantId} /> : <PlanForm tenantId={tenantId} />
  if (isNeeded) return form
  return (
    <details>
      <summary className="mb-3 font-medium">Use your own provider</summary>
      {form}
    </details>
  )
}

function CurrentModel({ model, platformModel }: { model: string | null; platformModel: string | null }) {
  if (model === null && platformModel === null) {
    return <p>No model can answer yet: set up a provider, then choose one of its models.</p>
  }
  return (
    <p role="status">
      <code>{model ?? platformModel}</code>{' '}
      {model === null ? 'answers: it is the default model of this installation.' : 'answers.'}
    </p>
  )
}

interface ModelFormProps {
  project: OneProject
  models: UsableModel[]
  /** Null if none was chosen yet. */
  current: string | null
}

function ModelForm({ project, models, current }: ModelFormProps) {
  const toast = useToast()
  const submit = async (values: FormValues): Promise<void> => {
    const body = { provider_model: values['provider_model'] ?? '' }
    await request('PUT', '/auth/v1/projects/{projectId}/settings/model', { path: { projectId: project.id }, body })
    await refreshSettings(project.id)
    toast.show('The model is live.')
  }
  return (
    <Form submit={submit} submitLabel="Use this model">
      <SelectField
        name="provider_model"
        label="Model"
        hint="Live at once."
        defaultValue={current ?? suggestModel(models)?.modelId}
      >
        <ModelOptions models={models} nameOf={({ modelId, displayName }) => `${displayName} (${modelId})`} />
      </SelectField>
    </Form>
  )
}
