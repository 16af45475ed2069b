import Joi from 'joi'
import { okList, serverOperation } from '../../http/operation.js'
import type { ListedPerson } from '../../interface/people.js'
import { listPersonRows } from './people.store.js'
import { listedPersonBody, toPersonBody } from './person.js'

/** Everyone with an account, oldest first. Idempotent. */
export const listPeople = serverOperation({
  operationId: 'listPeople',
  summary: 'List everyone who has an account, oldest first.',
  description: 'For finding the id of a person. Costs one read of all of them: they come in one answer.',
  method: 'GET',
  path: '/people',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  answers: [200],
  success: Joi.array().items(listedPersonBody),
  async handle({ meter }, { database }) {
    return okList(
      meter,
      await listPersonRows(database),
      (row) => ({ ...toPersonBody(row), secondFactor: row.second_factor }) satisfies ListedPerson,
    )
  },
})
