// This runs before the program is there: it asks for the data of the first page, so that the answers come while the browser
// still reads the code. It imports no more than it must.
import type { Channel, Workspace } from '../interface/generated/types.ts'
import { at, urlOf } from './address.ts'
import { chooseChannel, chooseWorkspace, toPageQuery } from './audience/choice.ts'

const asked = new Map<string, Promise<Response | undefined>>()

/** Gives the answer to an early read once; undefined where it was no success, so that it is asked for again. */
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

/** The people that the address means, by what one answer after the other names. */
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
  // A person who comes by a link signs in first.
  if (location.hash !== '' || (start !== '' && start !== 'o')) return
  // Answers that are not taken by then are out of date.
  setTimeout(() => asked.clear(), 5_000)
  await Promise.allSettled([
    // Before everything that it tells of.
    ...(start === 'o' && organizationId !== '' ? [ask(at(organizationId, 'revision'))] : []),
    ask('/me'),
    ...(start === 'o' && page === 'audience' ? [askForAudience(organizationId)] : []),
  ])
}

/** Resolves when everything was asked for and answered; never rejects. */
export const early = askFirst()
