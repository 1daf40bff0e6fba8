import icon from "../assets/icon.svg";

export function Wordmark() {
  return (
    <span className="wordmark">
      <img src={icon} alt="" width={28} height={28} />
      Lanekeeper
    </span>
  );
}
