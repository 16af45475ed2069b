// Runs before the program has loaded: it requests the first page's data, so that the answers arrive while the browser is
// still parsing code. Keep its imports minimal.
import type { Channel, Workspace } from '../interface/generated/types.ts'
import { at, urlOf } from './address.ts'
import { chooseChannel, chooseWorkspace, toPageQuery } from './audience/choice.ts'

const asked = new Map<string, Promise<Response | undefined>>()

/** Returns the response of an early read once; undefined if it failed and must be repeated. */
export function takeEarly(url: string): Promise<Response | undefined> | undefined {
  const answer = asked.get(url)
  asked.delete(url)
  return answer
}

async function ask<T>(path: string, query?: object): Promise<T> {
  const url = urlOf(path, query)
  const answer = fetch(url, { headers: { accept: 'application/json' }, credentials: 'same-origin', cache: 'no-store' })
    .then((response) => (response.ok ? response : undefined))
    .catch(() => undefined)
  asked.set(url, answer)
  return (await answer)?.clone().json() as Promise<T>
}

/** Requests the people that the address selects, one answer after the other. */
async function askForAudience(organizationId: string): Promise<void> {
  const query = Object.fromEntries(new URLSearchParams(location.search))
  const { workspaceId } = chooseWorkspace(await ask<Workspace[]>(at(organizationId, 'workspaces')), query)
  if (workspaceId === undefined) return
  const channel = chooseChannel(await ask<Channel[]>(at(organizationId, 'channels'), { workspaceId }), query)
  if (channel === undefined) return
  await ask(at(organizationId, 'audience'), toPageQuery(workspaceId, channel.id, query))
}

async function askFirst(): Promise<void> {
  const [start, organizationId = '', page] = location.pathname
    .slice(new URL(document.baseURI).pathname.length)
    .split('/')
  // People who follow a link sign in first.
  if (location.hash !== '' || (start !== '' && start !== 'o')) return
  // Unused answers are stale by then.
  setTimeout(() => asked.clear(), 5_000)
  await Promise.allSettled([
    // The revision comes before the data that it covers.
    ...(start === 'o' && organizationId !== '' ? [ask(at(organizationId, 'revision'))] : []),
    ask('/me'),
    ...(start === 'o' && page === 'audience' ? [askForAudience(organizationId)] : []),
  ])
}

/** Resolves when everything was answered; never rejects. */
export const early = askFirst()
