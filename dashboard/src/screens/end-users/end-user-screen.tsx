// One end user: what they used, which limits they have, and what can be done about them.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries.ts'
import { useMay, useMayEdit } from '../../api/session.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded, RoleHint } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LastChange } from '../audit/last-change.tsx'
import { Conversations } from './conversations.tsx'
import { EndUserActions } from './end-user-actions.tsx'
import { EndUserBudgets } from './end-user-budgets.tsx'
import { EndUserLimits, EndUserUsage } from './end-user-usage.tsx'
import { type EndUser, endUserQuery } from './queries.ts'
import { Restrictions } from './restrictions.tsx'

const from = '/app/projects/$projectId/end-users/user'

export function EndUserScreen() {
  const { projectId } = useParams({ from })
  const { uid } = useSearch({ from })
  if (uid === '') return <NoUserNamed projectId={projectId} />
  return <NamedEndUser key={uid} projectId={projectId} uid={uid} />
}

function NoUserNamed({ projectId }: { projectId: string }) {
  return (
    <Page title="End user" lead="The address of this page names no user.">
      <p>
        <Link to="/app/projects/$projectId/end-users" params={{ projectId }}>
          Choose an end user
        </Link>
      </p>
    </Page>
  )
}

function NamedEndUser({ projectId, uid }: { projectId: string; uid: string }) {
  const user = useQuery(endUserQuery(projectId, uid))
  const project = useQuery(projectQuery(projectId))
  const may = useMay(project.data?.tenant_id ?? '')
  const mayEdit = useMayEdit(project.data)
  return (
    <Loaded query={user} what="the end user" pageTitle="End user">
      {data => (
        <Page
          title={uid}
          lead={<Lead user={data} mayAct={may('users:write')} />}
          actions={<Restrictions user={data} />}
        >
          <RestrictionDetails user={data} />
          {project.data !== undefined && (
            <LastChange
              tenantId={project.data.tenant_id}
              projectId={projectId}
              target={uid}
              actions={['end_user.block', 'end_user.unblock', 'end_user.revoke_tokens', 'budgets.put']}
            />
          )}
          <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <div className="flex min-w-0 flex-col gap-6">
              <Section title="Usage">
                <EndUserUsage projectId={projectId} user={data} />
                <p>
                  <Link to="/app/projects/$projectId/requests" params={{ projectId }} search={{ uid }}>
                    Requests of this end user
                  </Link>
                </p>
              </Section>
              <Section title="Limits">
                <EndUserLimits projectId={projectId} />
              </Section>
              <Section title="Budgets">
                <EndUserBudgets projectId={projectId} uid={uid} mayWrite={mayEdit('billing:write')} />
              </Section>
              <Section title="Conversations">
                {project.data !== undefined && <Conversations slug={project.data.slug} uid={uid} />}
              </Section>
            </div>
            <div
              id="actions"
              className="flex min-w-0 scroll-mt-28 flex-col gap-6 lg:sticky lg:top-28 lg:rounded-lg lg:border lg:border-line lg:p-4"
            >
              {may('users:write') ? (
                <EndUserActions projectId={projectId} user={data} />
              ) : (
                project.data !== undefined && <RoleHint to="block and erase end users" />
              )}
            </div>
          </div>
        </Page>
      )}
    </Loaded>
  )
}

function Lead({ user, mayAct }: { user: EndUser; mayAct: boolean }) {
  return (
    <>
      <Seen user={user} />{' '}
      {mayAct && (
        <a href="#actions" className="lg:hidden">
          Block, revoke or erase
        </a>
      )}
    </>
  )
}

function Seen({ user }: { user: EndUser }) {
  if (user.last_seen_at === null) return <>This end user has received no answer yet.</>
  return (
    <>
      An end user since <Time iso={user.first_seen_at} />, last answered <Time iso={user.last_seen_at} />.
    </>
  )
}

function RestrictionDetails({ user }: { user: EndUser }) {
  if (user.blocked_at === null && user.tokens_revoked_at === null) return null
  return (
    <div className="flex flex-col gap-1">
      {user.blocked_at !== null && (
        <p>
          Blocked since <Time iso={user.blocked_at} />. Reason: <bdi>{user.block_reason ?? 'none given'}</bdi>
        </p>
      )}
      {user.tokens_revoked_at !== null && (
        <p>
          Tokens issued until <Time iso={user.tokens_revoked_at} /> are revoked.
        </p>
      )}
    </div>
  )
}
