import { describe, expect, test } from 'vitest'
import {
  addGroup,
  type CommonForm,
  moveGroup,
  placeProblems,
  readJson,
  removeGroup,
  toForm,
  withField,
} from '../../src/console/posts/superpower-form.js'
import type { Superpower } from '../../src/interface/generated/types.js'
import { superpowerSchema } from '../../src/superpowers/superpower-schema.js'
import { wholeSuperpower } from '../posts.js'

const FIELDS: CommonForm = {
  name: 'Raffle',
  hashtag: '#win',
  active: false,
  action: 'COMMENTED',
  values: 'me, too\nplease',
  publicReplies: [
    { scope: 'PUBLIC', text: 'Good luck!' },
    { scope: 'PUBLIC', text: 'You are in!' },
  ],
  privateReplies: [{ scope: 'PRIVATE', text: 'Thank you' }],
  autoLike: true,
  takesPart: true,
  groupName: 'Asks',
  probability: '0.5',
  usersLimit: '100',
  timeLimit: '24',
  privateDelay: '0.25',
  publicDelay: '1',
  winners: '3',
  raffleEnd: '2026-12-24T18:00:00.000Z',
  winnersReply: 'You won!',
  losersReply: 'Next time.',
}
const fill = (start: Superpower): Superpower =>
  (Object.keys(FIELDS) as (keyof CommonForm)[]).reduce((one, name) => withField(one, name, FIELDS[name]), start)

describe('the form of a superpower', () => {
  test('makes a superpower that the service accepts, and reads it again', () => {
    const made = fill({})
    expect(superpowerSchema.validate(made).error).toBeUndefined()
    expect(toForm(made)).toEqual(FIELDS)
    expect(made.conditionGroups).toHaveLength(1)
  })

  test('keeps everything that it does not show', () => {
    const whole = wholeSuperpower()
    const form = toForm(whole)
    const same = (Object.keys(form) as (keyof CommonForm)[]).reduce(
      (one, name) => withField(one, name, form[name]),
      whole,
    )
    expect(same).toMatchObject(JSON.parse(JSON.stringify(whole)))
    const changed = fill(whole)
    expect(changed.conditionGroups?.slice(1)).toEqual(whole.conditionGroups?.slice(1))
    expect(changed.conditionGroups?.[0]?.groupId).toBe(whole.conditionGroups?.[0]?.groupId)
  })

  test('has any number of groups, which can be changed, moved and removed while the others stay the same', () => {
    const one = withField(fill({}), 'groupName', 'First')
    const two = withField(addGroup(one), 'privateReplies', [{ scope: 'PRIVATE', text: 'Second' }], 1)
    expect(superpowerSchema.validate(two).error).toBeUndefined()
    expect(two.conditionGroups).toMatchObject([{ name: 'First' }, { privateReplies: [{ text: 'Second' }] }])
    expect(toForm(two, 1)).toMatchObject({ groupName: '', privateReplies: [{ text: 'Second' }], name: 'Raffle' })
    expect(toForm(two)).toEqual(toForm(one))
    const moved = moveGroup(two, 1, 0)
    expect(moved.conditionGroups).toEqual([two.conditionGroups![1], two.conditionGroups![0]])
    expect(removeGroup(moved, 0)).toEqual(one)
    // A superpower without a group shows an empty one, which becomes real once another is added.
    expect(addGroup({}).conditionGroups).toEqual([{}, {}])
    const refused = [{ path: 'conditionGroups.1.usersLimit', message: 'must be a number' }]
    expect(placeProblems(refused, 1).fields).toEqual({ usersLimit: 'must be a number' })
    expect(placeProblems(refused, 0).rest).toEqual(refused)
  })

  test('an empty field means no value', () => {
    const filled = withField(fill({}), 'publicReplies', [{ scope: 'PUBLIC', text: '' }])
    const emptied = (
      ['name', 'hashtag', 'winners', 'raffleEnd', 'winnersReply', 'losersReply', 'action'] as const
    ).reduce((one: Superpower, name) => withField(one, name, ''), filled)
    expect(emptied).not.toHaveProperty('hashtag')
    expect(emptied).not.toHaveProperty('raffle')
    expect(emptied.conditionGroups?.[0]).toMatchObject({ conditions: [], publicReplies: [] })
  })

  test('problems appear at their fields, and the others beside the JSON', () => {
    const { error } = superpowerSchema.validate(
      {
        raffle: { winnersLimit: 0 },
        conditionGroups: [{ publicReplies: [{ redirects: [{ url: 'no' }] }, { text: 5 }] }],
      },
      { abortEarly: false },
    )
    const problems = error!.details.map(({ path, message }) => ({ path: path.join('.'), message }))
    const { fields, rest } = placeProblems(problems)
    expect(Object.keys(fields)).toEqual(['publicReplies', 'winners'])
    expect(rest.map(({ path }) => path)).toEqual(['conditionGroups.0.publicReplies.0.redirects.0.url'])
  })

  test('JSON must be an object', () => {
    expect(readJson('{"active":true}')).toEqual({ superpower: { active: true } })
    for (const text of ['[]', 'null', '3', '{']) expect(readJson(text)).toHaveProperty('problem')
  })
})
