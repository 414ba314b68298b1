/** A term that a button explains in a sentence, on the spot: by mouse, touch and keyboard. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { post } from "../api";
import { lostContact } from "../state";
import { Prose } from "./prose";

/** the server defines them; null before a term was shown */
const words = signal<Record<string, string> | null>(null);
let asking = false;

async function load(): Promise<void> {
  if (asking || words.peek() !== null) return;
  asking = true;
  try {
    words.value = (await post("words", {})).words;
  } catch (error) {
    lostContact(error);
  } finally {
    asking = false;
  }
}

type Props = { word: string; children?: ComponentChildren };

/** `word` is one of the server's words; `children` how the page spells it here. A word without a sentence is plain text. */
export function Explained({ word, children = word }: Props) {
  useEffect(() => void load(), []);
  const sentence = words.value?.[word];
  if (sentence === undefined) return <>{children}</>;
  return <Term sentence={sentence}>{children}</Term>;
}

function Term({ sentence, children }: { sentence: string; children: ComponentChildren }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const note = useRef<HTMLSpanElement>(null);
  return (
    <>
      <button type="button" class="term" ref={button} popovertarget={id} aria-describedby={id}>
        {children}
      </button>
      <span class="explanation" popover="auto" id={id} ref={note} onToggle={() => place(button.current, note.current)}>
        {" "}
        <Prose text={sentence} />
      </span>
    </>
  );
}

const GAP = 6;

/** Below the term, or above it where there is no room; inside the window. */
function place(button: HTMLElement | null, note: HTMLElement | null): void {
  if (button === null || note === null || !note.matches(":popover-open")) return;
  const term = button.getBoundingClientRect();
  const { width, height } = note.getBoundingClientRect();
  const below = term.bottom + GAP;
  const top = below + height > innerHeight ? Math.max(GAP, term.top - GAP - height) : below;
  const left = Math.max(GAP, Math.min(term.left, innerWidth - width - GAP));
  note.style.setProperty("top", `${top}px`);
  note.style.setProperty("left", `${left}px`);
}
