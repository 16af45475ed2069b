import { Discussion } from '../discussion/discussion.tsx'
import { TextArea } from '../fields.tsx'
import { useOrganization } from '../organization.ts'
import { OutsideLinks } from '../outside/outside-links.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Empty, Note, Problem } from '../ui.tsx'
import { approvals as approvalWords, posts as postWords } from '../words.ts'
import { ChannelChoice, ChannelFields } from './channel-fields.tsx'
import { EditorActions } from './editor-actions.tsx'
import { superpowerOf } from './editor-rules.ts'
import { describeNewer, History } from './history.tsx'
import { MediaField } from './media-field.tsx'
import { MediaNote } from './media-note.tsx'
import { ChannelPreview } from './preview.tsx'
import { ScheduleField } from './schedule-field.tsx'
import { SeriesCard } from './series.tsx'
import { Repair, StateNotice } from './state-notice.tsx'
import { TimeHelp } from './time-help.tsx'
import { type EditedPost, type PostEditor, useEditor } from './use-editor.ts'

const words = postWords.editor

/** The form of a post beside its preview. */
export function Editor(edited: EditedPost) {
  const editor = useEditor(edited)
  const { post, channels, history } = editor
  return (
    <div class="editor">
      <form
        class="editor-form form"
        onSubmit={(event) => {
          event.preventDefault()
          if (editor.canSave) void editor.save()
        }}
      >
        <Versions editor={editor} />
        <StateNotice editor={editor} />
        {post !== undefined && (
          <MediaNote url={post.media} check={post.mediaCheck} version={`${post.id} ${editor.etag}`} />
        )}
        {post?.status === 'FAILED' && <Repair editor={editor} />}
        {editor.canEdit && (
          <fieldset class="form">
            <legend class="hidden">{words.title}</legend>
            <section class="card form">
              <h2>{words.channels}</h2>
              <ChannelChoice editor={editor} />
              {Object.entries(editor.draft.channels).map(([id, channel]) => (
                <ChannelFields key={id} editor={editor} id={id} channel={channel} />
              ))}
            </section>
            <MediaField editor={editor} />
            <TimeSection editor={editor} />
          </fieldset>
        )}
        <EditorActions editor={editor} />
      </form>
      <aside class="editor-side" aria-label={words.preview}>
        <Previews editor={editor} />
        {post?.status === 'WAITING_FOR_APPROVAL' && <OutsideLinks post={post} />}
        <SeriesCard editor={editor} />
        {post !== undefined && <Discussion postId={post.id} />}
        {post !== undefined && (
          <section class="card form">
            <h2>{approvalWords.history}</h2>
            <Problem error={history.error} onRetry={history.refetch} />
            {history.data && <History id={post.id} changes={history.data} channelName={channels.nameOf} />}
          </section>
        )}
      </aside>
    </div>
  )
}

/** Says that a stored draft was restored, or that others have changed the post. */
function Versions({ editor }: { editor: PostEditor }) {
  const { latest, etag, channels } = editor
  const newer = describeNewer(editor.history.data, etag, channels.nameOf)
  return (
    <>
      {editor.isRestored && (
        <Note>
          <p>{words.restored}</p>
          <Button kind="small" onClick={editor.discard}>
            {words.discard}
          </Button>
        </Note>
      )}
      {editor.hasConflict && latest !== undefined && (
        <Note kind="warn" role="alert">
          <p>{words.conflict({ who: newer.who || undefined, what: newer.what || undefined })}</p>
          <div class="actions">
            <Button kind="small" onClick={editor.keepMine}>
              {words.keepMine}
            </Button>
            <Button kind="small" onClick={() => editor.fill(latest)}>
              {words.takeTheirs}
            </Button>
          </div>
        </Note>
      )}
    </>
  )
}

function TimeSection({ editor }: { editor: PostEditor }) {
  const { draft, change } = editor
  return (
    <section class="card form">
      <h2>{words.when}</h2>
      <ScheduleField time={draft.time} occurrence={draft.occurrence} onChange={change} />
      <TimeHelp editor={editor} />
      <TextArea
        label={words.notes}
        hint={words.notesHint}
        class="short"
        maxLength={10_000}
        value={draft.notes}
        onInput={(event) => change({ notes: event.currentTarget.value })}
      />
    </section>
  )
}

function Previews({ editor: { draft, read, scheduledFor, channels, saved } }: { editor: PostEditor }) {
  const { timeZone } = useOrganization()
  const chosen = Object.entries(draft.channels)
  return (
    <>
      <h2>{words.preview}</h2>
      {scheduledFor !== undefined && (
        <p class="quiet">
          {formatInstant(scheduledFor, timeZone)} · {zoneName(timeZone)}
        </p>
      )}
      {chosen.length === 0 && <Empty title={words.noChannel} />}
      {chosen.map(([id, channel]) => (
        <ChannelPreview
          key={id}
          {...draft}
          timeZone={timeZone}
          channel={{
            caption: channel.caption,
            superpower: superpowerOf(channel, read?.post.mediumsData[id], saved),
            mediumName: channels.nameOf(id),
            mediumType: channels.typeOf(id),
          }}
        />
      ))}
    </>
  )
}
