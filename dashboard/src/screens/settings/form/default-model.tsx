// Sets the model back to that of the installation. The API does so at once: a draft cannot say it.
import type { SettingsDraft } from '../../../api/draft.ts'
import { refreshSettings } from '../../../api/draft.ts'
import { request } from '../../../api/management.ts'
import { Button } from '../../../ui/button.tsx'
import { useConfirm } from '../../../ui/dialogs/confirm.tsx'
import { useToast } from '../../../ui/toast.tsx'

export function DefaultModel({ draft }: { draft: SettingsDraft }) {
  const confirm = useConfirm()
  const toast = useToast()
  if (draft.provider_model === null) return null
  const projectId = draft.project_id
  const ask = () =>
    confirm({
      title: 'Use the default model of the installation?',
      body: (
        <p>
          <code>{draft.provider_model}</code> stops answering at once, without a deploy. If the operator set no default
          model, requests that choose no model are rejected.
        </p>
      ),
      action: 'Use the default model',
      run: async () => {
        await request('DELETE', '/auth/v1/projects/{projectId}/settings/model', { path: { projectId } })
        await refreshSettings(projectId)
        toast.show('The default model of the installation answers.')
      },
    })
  return (
    <p>
      <Button onClick={ask}>Use the default model now</Button>
    </p>
  )
}
