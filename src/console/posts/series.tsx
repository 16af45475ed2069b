import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { PostSeries, RecurrenceRule, ScheduledPost } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { FormDialog } from '../forms.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant, zoneName } from '../times.ts'
import { announce, Button, isMissing, Problem, Status } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { list } from '../wording.ts'
import { posts as postWords, textOf, series as words } from '../words.ts'
import { channelsOf, refreshPosts } from './post-text.ts'
import type { PostEditor } from './use-editor.ts'

const RepeatDialog = lazyPage(() => import('./repeat-dialog.tsx'), { isPart: true })

/** A post's series, or a button to repeat the post. */
export function SeriesCard({ editor }: { editor: PostEditor }) {
  const { id: organizationId, may } = useOrganization()
  const [isRepeating, setRepeating] = useState(false)
  const client = useQueryClient()
  const { post, etag, isDirty } = editor
  const key = ['series', organizationId, post?.id]
  const read = useRead({
    queryKey: key,
    queryFn: ({ signal }) => call('getSeriesOfPost', { organizationId, scheduledPostId: post!.id }, { signal }),
    enabled: post !== undefined,
  })
  if (post === undefined) return null
  const series = read.data?.series
  const mayRepeat = may('posts:write', channelsOf(post)) && (series === null || series?.stoppedAt !== undefined)
  if (isMissing(read.error) || (!read.error && !series && !mayRepeat)) return null
  const refresh = async (): Promise<void> => {
    await Promise.all([client.invalidateQueries({ queryKey: ['series'] }), refreshPosts(client)])
  }
  return (
    <section class="card form">
      <h2>{words.title}</h2>
      <Problem error={read.error} onRetry={read.refetch} />
      {series && <SeriesPosts series={series} post={post} onStopped={refresh} />}
      {mayRepeat && (
        <div class="actions">
          <Button disabled={isDirty} onClick={() => setRepeating(true)}>
            {words.repeat}
          </Button>
          {isDirty && <span class="quiet small-text">{words.saveFirst}</span>}
        </div>
      )}
      {isRepeating && <RepeatDialog post={post} etag={etag} onDone={refresh} onClose={() => setRepeating(false)} />}
    </section>
  )
}

interface SeriesPostsProps {
  series: PostSeries
  post: ScheduledPost
  onStopped: () => Promise<void>
}

function SeriesPosts({ series, post, onStopped }: SeriesPostsProps) {
  const postId = post.id
  const { id: organizationId, timeZone, may } = useOrganization()
  const { route } = useLocation()
  const [asks, setAsks] = useState(false)
  const stop = async (): Promise<void> => {
    const { deleted } = await call('stopPostSeries', { organizationId, seriesId: series.id })
    announce(words.stoppedNow({ many: deleted }))
    setAsks(false)
    await onStopped()
    // This page's post may have been deleted with the series.
    const { series: left } = await call('getSeriesOfPost', { organizationId, scheduledPostId: postId }).catch(() => ({
      series: undefined,
    }))
    if (left === undefined) route(hrefOf(organizationId, 'calendar'))
  }
  return (
    <>
      <p>{describeRule(series.rule, zoneName(series.timeZone))}</p>
      {series.stoppedAt !== undefined && <p>{words.stopped}</p>}
      <ol class="series-posts">
        {series.posts.map(({ id, status, scheduledFor, isFirst }) => {
          const name = scheduledFor === undefined ? postWords.noTime : formatInstant(scheduledFor, timeZone)
          return (
            <li key={id}>
              {id === postId ? (
                <span aria-current="true">
                  {name} ({words.isThis})
                </span>
              ) : (
                <a href={hrefOf(organizationId, 'posts', [id])}>{isFirst ? `${name} (${words.isFirst})` : name}</a>
              )}{' '}
              <Status status={status} />
            </li>
          )
        })}
      </ol>
      {series.stoppedAt === undefined && may('posts:write', channelsOf(post)) && (
        <div class="actions">
          <Button kind="plain bad-text" onClick={() => setAsks(true)}>
            {words.stop}
          </Button>
        </div>
      )}
      {asks && (
        <FormDialog
          title={words.stopTitle}
          submit={words.stopSubmit}
          isBad
          onSubmit={stop}
          onClose={() => setAsks(false)}
        >
          <p>{words.stopText}</p>
        </FormDialog>
      )}
    </>
  )
}

function describeRule({ frequency, weekdays = [], dayOfMonth = 1, time }: RecurrenceRule, zone: string): string {
  const days = list(weekdays.map((day) => textOf(words.weekdayOf, String(day))))
  return words.rule({ frequency, days, dayOfMonth, time, zone })
}
