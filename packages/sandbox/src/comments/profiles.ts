import { ok, type SandboxAnswer } from '../answers.js'
import { parseFields } from '../fields.js'
import { pick } from '../publications.js'
import type { SandboxCall, SandboxNode } from '../route.js'
import type { Comments } from './comments.js'

const GIVEN_NAMES = ['Ana', 'Bruno', 'Clara', 'Davi', 'Elisa', 'Felipe', 'Gabriela', 'Heitor']
const FAMILY_NAMES = ['Alves', 'Barros', 'Costa', 'Dias', 'Esteves', 'Freitas', 'Gomes', 'Henriques']

/**
 * Finds a person who comments on the token's pages or writes to them. For any other id, a person is made up when a
 * profile is requested.
 */
export function findPerson(
  comments: Comments,
  id: string,
  { token, query, model }: SandboxCall,
): SandboxNode | undefined {
  for (const page of token.pages) {
    if (comments.people.find(page, id) !== undefined) {
      return { type: page.platform === 'facebook' ? 'UserProfile' : 'IGProfile', id, page }
    }
  }
  const asked = (query.fields ?? '').split(',')
  if (!/^\d{1,32}$/.test(id) || !asked.includes('profile_pic') || token.pages.length === 0 || isOther(model, id))
    return undefined
  return { type: token.kind === 'instagram' || asked.includes('username') ? 'IGProfile' : 'UserProfile', id }
}

const isOther = ({ pages = [] }: SandboxCall['model'], id: string): boolean => pages.some((page) => page.id === id)

export function readPerson(comments: Comments, { query }: SandboxCall, { type, id, page }: SandboxNode): SandboxAnswer {
  const known = page && comments.people.find(page, id)
  const made = madeUp(id)
  const [given, family] = known === undefined ? made : [known.name, undefined]
  const name = known?.name ?? made.join(' ')
  // The platform returns a picture for few people, and no name for people with only a phone number.
  const shared = { id, name: () => name, profile_pic: () => undefined }
  const values =
    type === 'UserProfile'
      ? { ...shared, first_name: () => given, last_name: () => family }
      : {
          ...shared,
          username: () => known?.username ?? made.join('.').toLowerCase(),
          follower_count: () => made[0].length,
          is_user_follow_business: () => known?.follows ?? true,
          is_business_follow_user: () => false,
          is_verified_user: () => false,
        }
  return ok(pick(type, parseFields(query.fields ?? 'id,name'), values))
}

/** The name depends only on the id. */
function madeUp(id: string): [given: string, family: string] {
  const number = Number(id.slice(-6))
  const family = FAMILY_NAMES[Math.floor(number / GIVEN_NAMES.length) % FAMILY_NAMES.length]!
  return [GIVEN_NAMES[number % GIVEN_NAMES.length]!, family]
}
