// On every screen of a project that a file manages: that these screens do not change what the file holds, and how it is
// changed.
import { useQuery } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { type OneProject, projectQuery, queryClient } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/dialogs/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'

/** A file that was applied meanwhile shows within this time. */
const refetchInterval = 10_000

export function FileLock({ projectId }: { projectId: string }) {
  const { data } = useQuery({ ...projectQuery(projectId), refetchInterval })
  return data?.managed_by === 'file' ? <Bar project={data} /> : null
}

function Bar({ project }: { project: OneProject }) {
  const may = useMay(project.tenant_id)
  return (
    <section
      aria-label="Managed by a file"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-raised px-4 py-2 text-sm md:px-8"
    >
      <p className="min-w-0 flex-1 basis-48">
        <span className="font-semibold">A file manages this project.</span> Change the file, then run{' '}
        <code>sallyport apply project.yaml --project {project.slug}</code>. These screens show what it holds and do not
        change it. <a href="/docs/cli#projects-that-a-file-manages">How it works</a>
      </p>
      {may('tenant:write') && <Release project={project} />}
    </section>
  )
}

function Release({ project }: { project: OneProject }) {
  const confirm = useConfirm()
  const toast = useToast()
  const ask = () =>
    confirm({
      title: 'Release the project from its file?',
      body: (
        <p>
          Everybody with the permission can change it here again. The file is not changed: remove the line{' '}
          <code>managed_by: file</code> from it, or the next <code>sallyport apply</code> locks these screens again and
          replaces what was changed here.
        </p>
      ),
      action: 'Release project',
      run: async () => {
        await request('POST', '/auth/v1/projects/{projectId}/release', { path: { projectId: project.id } })
        await queryClient.invalidateQueries({ queryKey: projectQuery(project.id).queryKey })
        toast.show('The project can be changed here again.')
      },
    })
  return <Button onClick={ask}>Release project</Button>
}
