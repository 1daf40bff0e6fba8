import { useId } from "react";
import type { Choice } from "../api/api";

interface Props {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChange(id: string): void;
}

export function Picker({ label, choices, value, onChange }: Props) {
  const id = useId();
  return (
    <span className="picker">
      <label className="unseen" htmlFor={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{label}: automatic</option>
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.name}
          </option>
        ))}
      </select>
    </span>
  );
}
