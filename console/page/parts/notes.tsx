import type { ComponentChildren } from 'preact';

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** In place of content: what will come here, and when. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Says that what is shown could not be loaded again. */
export function OldNote({ error }: { readonly error: string | null }) {
  if (error === null) return null;
  return (
    <p class="old" role="status">
      These numbers are old: {error}. Trying again.
    </p>
  );
}

interface WaitingProps {
  readonly error: string | null;
  /** What goes on meanwhile, for whoever does not see that something moves. */
  readonly doing?: string;
}

/** In place of the first answer: that it is read, or why it cannot be. */
export function Waiting({ error, doing = 'Reading' }: WaitingProps) {
  if (error !== null) return <Empty title={error} />;
  return (
    <div class="bones" role="status">
      <span class="unseen">{doing}</span>
      {Array.from({ length: 5 }, (_, place) => (
        <span key={place} class="bone" />
      ))}
    </div>
  );
}
