import { Component, type ReactNode } from "react";

interface Props {
  /** Shown in place of children that cannot be drawn. */
  otherwise: ReactNode;
  children: ReactNode;
}

export class Otherwise extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.otherwise : this.props.children;
  }
}
