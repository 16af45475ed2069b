import { useEffect, useState } from 'preact/hooks'
import type { Explanation, Superpower } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { Button, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
import { comments as words } from '../words.ts'
import { Effects } from './comments.tsx'

interface Props {
  superpower: Superpower
  channelType: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'
}

/** Treats unknown channel types as pages. */
export const toChannelType = (type: string): Props['channelType'] =>
  type === 'INSTAGRAM_ACCOUNT' ? 'INSTAGRAM_ACCOUNT' : 'FB_PAGE'

/** Shows what a superpower would do about a comment, and which parts of it are not executed. */
export function TryOut({ superpower, channelType }: Props) {
  const { id: organizationId } = useOrganization()
  const { busy, error, act } = useAct()
  const [text, setText] = useState('')
  const [name, setName] = useState('Ana')
  const [explanation, setExplanation] = useState<Explanation>()
  // The explanation is outdated once the superpower changes.
  useEffect(() => setExplanation(undefined), [superpower])
  const explain = () =>
    act(async () => {
      const comments = [{ text, ...(name === '' ? {} : { from: { name } }) }]
      setExplanation(await call('explainSuperpower', { organizationId, body: { superpower, channelType, comments } }))
    })
  const comment = explanation?.comments[0]
  return (
    <details>
      <summary>{words.tryTitle}</summary>
      <p class="quiet small-text">{words.tryHint}</p>
      <TextField label={words.tryComment} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <TextField label={words.tryName} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      <Button disabled={busy} onClick={() => void explain()}>
        {words.try}
      </Button>
      <Refusal error={error} />
      {explanation !== undefined && comment !== undefined && (
        <div role="status">
          <p>
            <strong>{words.comments[comment.reason]}</strong>
            {comment.group !== null && ` · ${words.byGroup({ group: comment.group + 1 })}`}
          </p>
          {comment.effects.length === 0 ? <p>{words.nothing}</p> : <Effects effects={comment.effects} />}
          <Remarks explanation={explanation} />
        </div>
      )}
    </details>
  )
}

/** Remarks about a superpower, for people who decide about its post. Absent if there are none. */
export function SuperpowerRemarks({ superpower, channelType }: Props) {
  const { id: organizationId } = useOrganization()
  const { data } = useRead({
    queryKey: ['explanation', organizationId, channelType, JSON.stringify(superpower)],
    queryFn: () => call('explainSuperpower', { organizationId, body: { superpower, channelType, comments: [] } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data === undefined ? null : <Remarks explanation={data} />
}

/** Parts that are not executed, and parts that are probably mistakes. */
const Remarks = ({ explanation: { notExecuted, warnings } }: { explanation: Explanation }) => (
  <>
    {notExecuted.length > 0 && (
      <Note kind="warn">
        <p>
          <strong>{words.notExecuted}</strong>
        </p>
        <ul>
          {notExecuted.map(({ path, reason }) => (
            <li key={path}>
              <code>{path}</code>: {reason}
            </li>
          ))}
        </ul>
      </Note>
    )}
    {warnings.length > 0 && (
      <Note>
        <p>
          <strong>{words.warnings}</strong>
        </p>
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      </Note>
    )}
  </>
)
