// The script of the account page: sign in, accept an invitation, reset a password. The session's token is kept only in
// the page's memory, so it is lost when the user leaves the page.

/** @typedef {{id: string, name: string, plan: string, role: string}} Tenant */
/** @typedef {{session_token: string, user: {email: string, tenants: Tenant[]}}} Session */
/** @typedef {{name: string, slug: string, status: string}} Project */

const goneMessage = 'This link was used already, has expired, or is incomplete. Ask for a new one.'

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element #${id}`)
  return found
}

/** @param {string} id */
function show(id) {
  for (const section of document.querySelectorAll('section')) section.hidden = section.id !== id
  element('alert').textContent = ''
}

/** Removes the link's token from the address at once, so that it does not stay in the browser's history. */
function takeLinkToken() {
  const token = new URLSearchParams(location.search).get('token') ?? ''
  if (token !== '') history.replaceState(null, '', location.pathname)
  return token
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: object, session?: string}} [options]
 */
async function call(method, path, { body, session } = {}) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(session === undefined ? {} : { Authorization: `Bearer ${session}` }),
    },
    body: JSON.stringify(body),
  })
  const answer = response.status === 204 ? null : await response.json()
  return { status: response.status, isOk: response.ok, answer }
}

/**
 * @param {string} id
 * @param {string} path
 * @param {object} extra
 */
function handleForm(id, path, extra) {
  const form = element(id).querySelector('form')
  if (form === null) throw new Error(`#${id} has no form`)
  form.addEventListener('submit', event => {
    event.preventDefault()
    const alert = element('alert')
    alert.textContent = ''
    const button = form.querySelector('button')
    if (button !== null) button.disabled = true
    call('POST', path, { body: { ...Object.fromEntries(new FormData(form)), ...extra } })
      .then(({ status, isOk, answer }) => {
        if (isOk) return showSession(answer)
        alert.textContent = status === 404 ? goneMessage : answer.error
      })
      .catch(() => {
        alert.textContent = 'Sallyport cannot be reached. Try again.'
      })
      .finally(() => {
        if (button !== null) button.disabled = false
      })
  })
}

/** @param {Session} session */
async function showSession({ session_token: session, user }) {
  element('email').textContent = user.email
  const lists = await Promise.all(user.tenants.map(tenant => listProjects(session, tenant)))
  element('tenants').replaceChildren(...lists)
  element('sign-out').onclick = async () => {
    await call('DELETE', '/auth/v1/sessions/current', { session })
    location.assign('/')
  }
  show('signed-in')
}

/**
 * @param {string} session
 * @param {Tenant} tenant
 */
async function listProjects(session, tenant) {
  const { isOk, answer } = await call('GET', `/auth/v1/tenants/${tenant.id}/projects`, { session })
  const title = document.createElement('h2')
  title.textContent = `${tenant.name} (${tenant.plan} plan, ${tenant.role})`
  const list = document.createElement('ul')
  for (const { name, slug, status } of /** @type {Project[]} */ (isOk ? answer : [])) {
    const item = document.createElement('li')
    item.textContent = `${name} (${status}): ${location.origin}/p/${slug}/v1`
    list.append(item)
  }
  const group = document.createElement('div')
  group.append(title, list)
  return group
}

const token = takeLinkToken()
handleForm('sign-in', '/auth/v1/sessions', {})
handleForm('invite', '/auth/v1/invitations/accept', { token })
handleForm('reset', '/auth/v1/password-resets/accept', { token })
const views = ['invite', 'reset', 'upgrade']
show(views.find(view => location.pathname === `/${view}`) ?? 'sign-in')
