import { Fragment } from 'preact';
import { useState } from 'preact/hooks';

const SHOWN_MS = 1_600;

interface CopyButtonProps {
  readonly label: string;
  /** What is copied. */
  readonly text: () => string | Promise<string>;
  /** As an icon, with the label for whoever does not see it. */
  readonly isIcon?: boolean;
}

/** Copies a text. Says when it could not, as where the browser does not allow it. */
export function CopyButton({ label, text, isIcon = false }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setSaid('Copied');
    } catch {
      setSaid('Not allowed here');
    }
    window.setTimeout(() => setSaid(null), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class={isIcon ? 'quiet icon' : 'quiet'}
      title={isIcon ? label : undefined}
      onClick={() => void copy()}
    >
      {isIcon && said === null ? (
        <svg class="mark" viewBox="0 0 16 16" role="img" aria-label={label}>
          <path d="M6 5.500h7.500v8H6zM10 5.500v-3H2.500v8H6" />
        </svg>
      ) : (
        <span aria-live="polite">{said ?? label}</span>
      )}
    </button>
  );
}

/** A command to copy into a terminal. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <code>
        {text.split(' ').map((word, index) => (
          <Fragment key={index}>
            {index === 0 ? '' : ' '}
            <span class="word">{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton label="Copy" text={() => text} />
    </p>
  );
}
