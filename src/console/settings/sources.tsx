import { useState } from 'preact/hooks'
import type {
  NewSource,
  Source,
  SourceProblem,
  SourceTrust,
  SourceType,
  SourceWithSecrets,
} from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button, Dialog, Empty, Note } from '../ui.tsx'
import { byClock, usePolled } from '../use-read.ts'
import { sources as words } from '../words.ts'
import { type Action, done, ListSection, type Outcome, type Question, Row, useChanges } from './section.tsx'

/** The organization's sources, or the problems of one. */
export function Sources() {
  const [opened, open] = useState<Source>()
  return opened === undefined ? <AllSources onOpen={open} /> : <Problems of={opened} onBack={() => open(undefined)} />
}

function AllSources({ onOpen }: { onOpen: (source: Source) => void }) {
  const { id: organizationId, currency, may } = useOrganization()
  const queryKey = ['sources', organizationId]
  const sources = useList<Source>(
    queryKey,
    (query, options) => call('listSources', { organizationId, query }, options),
    { refetchInterval: byClock },
  )
  const changes = useChanges(queryKey)
  const mayManage = may('sources:manage')
  const questions = useQuestions()
  const actionsOf = (source: Source): (Action | false)[] => [
    source.problems > 0 && { text: words.showProblems, run: () => onOpen(source) },
    { text: words.show, run: () => changes.open(<AddressDialog source={source} onClose={changes.close} />) },
    ...(mayManage
      ? [
          { text: words.change, ask: questions.change(source) },
          { text: words.rotate, ask: questions.rotate(source) },
          source.type === 'META' && { text: words.renewToken, ask: questions.renewToken(source) },
          { text: words.remove, kind: 'plain', ask: questions.remove(source) },
        ]
      : []),
  ]
  return (
    <>
      <ListSection
        title={words.title}
        hint={words.hint}
        changes={changes}
        action={
          mayManage && { text: words.add, kind: 'primary', run: () => changes.open(<AddDialog onDone={changes} />) }
        }
        read={sources}
        empty={<Empty title={words.noneTitle}>{words.none}</Empty>}
        row={(source) => (
          <Row
            name={<bdi>{source.name}</bdi>}
            about={`${words.types[source.type]} · ${source.id}`}
            of={source.name}
            actions={actionsOf(source)}
          >
            <Facts source={source} />
          </Row>
        )}
      />
      {currency === null && (sources.data?.length ?? 0) > 0 && (
        <Note>
          <p>
            {words.noCurrency}{' '}
            {may('settings:write') && (
              <a href={hrefOf(organizationId, 'settings', ['organization'])}>{words.setCurrency}</a>
            )}
          </p>
        </Note>
      )}
    </>
  )
}

function Facts({ source }: { source: Source }) {
  const { timeZone } = useOrganization()
  const { lastDeliveryAt, lastRefusal, waiting, problems, previousSecretUntil, type, trust, leftOut } = source
  const at = (instant: string): string => formatInstant(instant, timeZone, 'short')
  return (
    <>
      <span>
        {lastDeliveryAt === null ? words.noDelivery : words.lastDelivery({ time: at(lastDeliveryAt) })}
        {waiting > 0 && ` · ${words.waiting({ many: waiting })}`}
        {problems > 0 && ` · ${words.problems({ many: problems })}`}
      </span>
      {type === 'EVENTS' && (
        <span class="quiet small-text">
          {words.trusted[trust]}
          {leftOut > 0 && ` · ${words.leftOut({ many: leftOut })}`}
        </span>
      )}
      {lastRefusal !== null && (
        <span class="state-bad">
          {words.refused({ time: at(lastRefusal.at), reason: words.refusals[lastRefusal.reason] })}
        </span>
      )}
      {previousSecretUntil !== null && (
        <span class="quiet small-text">{words.twoSecrets({ time: at(previousSecretUntil) })}</span>
      )}
    </>
  )
}

/** The address and secrets to paste into the other system, and the steps to take there. */
function ToPaste({ source }: { source: SourceWithSecrets }) {
  const { url, writeKey, verifyToken, secret, type } = source
  return (
    <>
      <CopyField label={words.address} value={url} />
      {writeKey !== undefined && <CopyField label={words.writeKey} value={writeKey} />}
      {verifyToken !== undefined && <CopyField label={words.verifyToken} value={verifyToken} />}
      {secret !== undefined && <CopyField label={words.ownSecret} value={secret} />}
      <h3>{words.steps}</h3>
      <ol>
        {Object.values(words.stepsOf[type]).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </>
  )
}

function AddressDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  return (
    <Dialog title={words.showTitle({ name: source.name })} onClose={onClose}>
      <ToPaste source={source} />
    </Dialog>
  )
}

const secretOf = (source: SourceWithSecrets): Outcome => ({
  secret: { title: words.ready, lead: words.readyLead, children: <ToPaste source={source} /> },
})

/** Asks for the type first, then for what that type needs. */
function AddDialog({ onDone: changes }: { onDone: ReturnType<typeof useChanges> }) {
  const questions = useQuestions()
  return (
    <Dialog title={words.add} onClose={changes.close}>
      <ul class="rows" aria-label={words.type}>
        {(Object.keys(words.types) as SourceType[]).map((type) => (
          <li key={type}>
            <Button onClick={() => changes.ask(questions.add(type))}>{words.types[type]}</Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The dialogs that create, change and remove a source. */
function useQuestions() {
  const { id: organizationId } = useOrganization()
  const add = (type: SourceType): Question => ({
    title: words.types[type],
    submit: words.add,
    fields: <SourceFields type={type} />,
    run: async (form) =>
      secretOf(await call('createSource', { organizationId, body: { type, ...fieldsIn(form) } as NewSource })),
  })
  const change = (source: Source): Question => ({
    title: words.changeTitle({ name: source.name }),
    submit: words.change,
    fields: (
      <>
        <NameField name={source.name} />
        {source.type !== 'META' && <ValueField value={source.valueFrom} />}
        {source.type === 'WOOCOMMERCE' && <StatusFields of={source} />}
        {source.type === 'EVENTS' && <TrustField value={source.trust} />}
      </>
    ),
    run: (form) =>
      done(call('updateSource', { organizationId, sourceId: source.id, body: fieldsIn(form) }), words.saved),
  })
  const rotate = (source: Source): Question => ({
    title: words.rotateTitle({ name: source.name }),
    submit: words.rotate,
    text: words.rotateText,
    fields: source.type !== 'EVENTS' && <SecretField type={source.type} />,
    run: async (form) => {
      const { secret } = fieldsIn(form)
      const body = secret === undefined ? {} : { secret }
      return secretOf(await call('rotateSourceSecret', { organizationId, sourceId: source.id, body }))
    },
  })
  const renewToken = (source: Source): Question => ({
    title: words.renewTokenTitle({ name: source.name }),
    submit: words.renewToken,
    text: words.renewTokenText,
    run: async () => {
      const body = { renewVerifyToken: true }
      return secretOf(await call('rotateSourceSecret', { organizationId, sourceId: source.id, body }))
    },
  })
  const remove = (source: Source): Question => ({
    title: words.removeTitle({ name: source.name }),
    submit: words.remove,
    isBad: true,
    text: words.removeText,
    run: () => done(call('deleteSource', { organizationId, sourceId: source.id }), words.removed),
  })
  return { add, change, rotate, renewToken, remove }
}

const NameField = ({ name = '' }: { name?: string }) => (
  <TextField label={words.name} name="name" required maxLength={200} autofocus defaultValue={name} />
)

const ValueField = ({ value = 'total' }: { value?: 'total' | 'revenue' }) => (
  <SelectField
    label={words.valueFrom}
    name="valueFrom"
    values={['total', 'revenue'] as const}
    textOf={(amount) => words.amounts[amount]}
    selected={value}
  />
)

const STATUSES = ['countedStatuses', 'uncountedStatuses'] as const

const StatusFields = ({ of: source }: { of?: Source }) =>
  STATUSES.map((name) => (
    <TextField
      key={name}
      label={words.statuses[name]}
      hint={words.statusesHint}
      name={name}
      defaultValue={source?.[name].join(', ')}
    />
  ))

/** Keys are assumed to be public unless someone says that they stay on a server. */
const TrustField = ({ value = 'times_only' }: { value?: SourceTrust }) => (
  <SelectField
    label={words.trust}
    hint={words.trustHint}
    name="trust"
    values={['times_only', 'new_people', 'full'] as const}
    textOf={(trust) => words.trusts[trust]}
    selected={value}
  />
)

const SecretField = ({ type }: { type: SourceType }) => (
  <TextField
    label={words.secret}
    hint={words.secretHint[type]}
    name="secret"
    type="password"
    autocomplete="off"
    required={type !== 'WOOCOMMERCE'}
    minLength={8}
  />
)

function SourceFields({ type }: { type: SourceType }) {
  return (
    <>
      <NameField />
      {type !== 'EVENTS' && <SecretField type={type} />}
      {type === 'META' && (
        <TextField label={words.instagramSecret} name="instagramSecret" type="password" autocomplete="off" />
      )}
      {type !== 'META' && <ValueField />}
      {type === 'WOOCOMMERCE' && <StatusFields />}
      {type === 'EVENTS' && <TrustField />}
    </>
  )
}

/** Returns the fields that were filled in. */
function fieldsIn(form: FormData): Partial<Record<'name' | 'secret' | 'instagramSecret', string>> & {
  valueFrom?: 'total' | 'revenue'
  countedStatuses?: string[]
  uncountedStatuses?: string[]
  trust?: SourceTrust
} {
  const names = ['name', 'secret', 'instagramSecret', 'valueFrom', 'trust']
  const texts = names.map((name) => [name, textIn(form, name)]).filter(([, text]) => text !== '')
  const lists = STATUSES.filter((name) => form.has(name)).map((name) => [
    name,
    textIn(form, name)
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean),
  ])
  return Object.fromEntries([...texts, ...lists])
}

const PROBLEMS_SHOWN = 100

/** A source's problems, latest first. */
function Problems({ of: source, onBack }: { of: Source; onBack: () => void }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const queryKey = ['sources', organizationId, source.id, 'problems']
  const query = { limit: PROBLEMS_SHOWN }
  const problems = usePolled(
    queryKey,
    async (options) =>
      (await call('listSourceProblems', { organizationId, sourceId: source.id, query }, options)).items,
    { refetchInterval: byClock },
  )
  const changes = useChanges(['sources', organizationId])
  const ids = (problem: SourceProblem) => ({ organizationId, sourceId: source.id, problemId: problem.id })
  const actionsOf = (problem: SourceProblem): (Action | false)[] => [
    { text: words.open, run: () => changes.open(<ProblemDialog problem={problem} onClose={changes.close} />) },
    ...(may('sources:manage')
      ? [
          { text: words.retry, change: () => done(call('retrySourceProblem', ids(problem)), words.retried) },
          {
            text: words.dismiss,
            kind: 'plain',
            change: () => done(call('dismissSourceProblem', ids(problem)), words.dismissed),
          },
        ]
      : []),
  ]
  return (
    <ListSection
      title={words.problemsOf({ name: source.name })}
      hint={words.problemsHint}
      changes={changes}
      action={{ text: words.back, run: onBack }}
      read={problems}
      empty={<Empty title={words.noProblem} />}
      row={(problem) => (
        <Row
          name={<bdi>{problem.reason}</bdi>}
          about={[formatInstant(problem.at, timeZone, 'short'), problem.topic, problem.item]
            .filter(Boolean)
            .join(' · ')}
          of={problem.id}
          actions={actionsOf(problem)}
        />
      )}
    />
  )
}

function ProblemDialog({ problem, onClose }: { problem: SourceProblem; onClose: () => void }) {
  return (
    <Dialog title={words.problemTitle} onClose={onClose}>
      <p>{problem.reason}</p>
      <h3>{words.body}</h3>
      <pre class="body">{problem.body}</pre>
      {problem.answer !== null && (
        <>
          <h3>{words.data}</h3>
          <pre class="body">{JSON.stringify(problem.answer, null, 2)}</pre>
        </>
      )}
    </Dialog>
  )
}
