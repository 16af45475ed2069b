import Joi from 'joi'
import { okList, serverOperation } from '../../http/operation.js'
import type { ListedPerson } from '../../interface/generated/types.js'
import { type ListedPersonRow, listPersonRows } from './people.store.js'
import { listedPersonBody, toPersonBody } from './person.js'

/** Everyone with an account, oldest first. Idempotent. */
export const listPeople = serverOperation({
  operationId: 'listPeople',
  summary: 'List everyone who has an account, oldest first.',
  description:
    'For finding the id of a person, and when and from where they last signed in. Costs one read of all of them: they come in one answer.',
  route: 'GET /server/people',
  permission: 'operator',
  answers: [200],
  success: Joi.array().items(listedPersonBody),
  async handle({ meter }, { database }) {
    return okList(meter, await listPersonRows(database), toListedBody)
  },
})

const toListedBody = ({ second_factor, signed_in_at, browser, network, ...row }: ListedPersonRow): ListedPerson => ({
  ...toPersonBody(row),
  secondFactor: second_factor,
  ...(signed_in_at !== null && {
    lastSignIn: { at: signed_in_at.toISOString(), browser: browser!, network: network! },
  }),
})
